# The build of the site and the books under Nix. In the root of a clone:
#
#   nix-shell -I nixpkgs=channel:nixos-25.05 --pure --run "make book pdf epub"
#
# Python's packages come from requirements-hashed.lock, as everywhere; Nix gives what is below them.
{ pkgs ? import <nixpkgs> { } }:

pkgs.mkShell {
  packages = [ pkgs.cacert pkgs.chromium pkgs.git pkgs.gnumake pkgs.python311 ];
  # Wheels look for the C++ library and zlib where Debian has them.
  LD_LIBRARY_PATH = pkgs.lib.makeLibraryPath [ pkgs.stdenv.cc.cc.lib pkgs.zlib ];
}
