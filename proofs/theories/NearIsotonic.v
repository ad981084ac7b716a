(** Near-isotonic regression: the certificate of a fit at a price. *)
From Calibration Require Import Fin Isotonic.

Section Near.
(** Places 0, .., m in the order of the score, with weights [w i] and mean labels [z i]; every step
    down costs [lambda] times its size. *)
Variables (m : nat) (w z : nat -> R) (lambda : R).
Hypotheses (w_pos : forall i, (i < m.+1)%N -> 0 < w i) (lambda_ge0 : 0 <= lambda).
Definition step_down (q : nat -> R) i := Rmax 0 (q i - q i.+1).
Definition objective (q : nat -> R) :=
  / 2 * prefix (fun i => w i * Rsqr (q i - z i)) m.+1 + lambda * prefix (step_down q) m.

(** The certificate: [u i] belongs to the boundary before place [i], and is 0 at both ends. *)
Definition certificate (u p : nat -> R) := [/\ u 0%N = 0, u m.+1 = 0,
  forall i, (i < m.+1)%N -> w i * (p i - z i) = u i - u i.+1 &
  forall i, (i < m)%N -> [/\ p i.+1 < p i -> u i.+1 = lambda, p i < p i.+1 -> u i.+1 = 0 &
                             0 <= u i.+1 <= lambda]].

(** label: thm-c13-certificate: the excess of every [q] is at least half its squared distance, so that
    [p] is the only minimum. *)
Theorem certified_fit u p q : certificate u p ->
  objective p + / 2 * prefix (fun i => w i * Rsqr (q i - p i)) m.+1 <= objective q.
Proof.
move=> [u0 um bal sg]; pose d i := q i - p i.
have cross : prefix (fun i => w i * (p i - z i) * d i) m.+1 =
    prefix (fun i => u i.+1 * (d i.+1 - d i)) m.
  rewrite (prefix_ext (g := fun i => (u i - u i.+1) * d i)) => [|i hi]; last by rewrite bal.
  rewrite by_parts; have tel j : prefix (fun i => u i - u i.+1) j = - u j.
    by elim: j => [|j IH] /=; [rewrite u0; ring|rewrite IH; ring].
  rewrite tel um Ropp_0 Rmult_0_l Rminus_0_l.
  have -> : forall x : R, - x = -1 * x by move=> x; ring.
  by rewrite -prefix_scal; apply: prefix_ext => i _; rewrite tel; ring.
have sq : prefix (fun i => w i * Rsqr (q i - z i)) m.+1 = prefix (fun i => w i * Rsqr (p i - z i)) m.+1
    + prefix (fun i => w i * Rsqr (q i - p i)) m.+1 + 2 * prefix (fun i => w i * (p i - z i) * d i) m.+1.
  by rewrite -prefix_scal -!prefix_add; apply: prefix_ext => i _; rewrite /d /Rsqr; ring.
have pen : lambda * prefix (step_down p) m - prefix (fun i => u i.+1 * (d i.+1 - d i)) m <=
    lambda * prefix (step_down q) m.
  rewrite -!prefix_scal -prefix_sub; apply: prefix_le => i hi; have [down up range] := sg i hi.
  rewrite /step_down /d; case: (Rtotal_order (p i) (p i.+1)) => [lt|[e|gt]].
  - rewrite up // (Rmax_left 0 (p i - p i.+1)); last lra.
    by have := Rmult_le_pos _ _ lambda_ge0 (Rmax_l 0 (q i - q i.+1)); lra.
  - rewrite (Rmax_left 0 (p i - p i.+1)); last lra.
    have a := Rmax_l 0 (q i - q i.+1); have b := Rmax_r 0 (q i - q i.+1); rewrite e.
    by set x := Rmax _ _ in a b *; nra.
  - rewrite down // (Rmax_right 0 (p i - p i.+1)); last lra.
    by have := Rmult_le_compat_l _ _ _ lambda_ge0 (Rmax_r 0 (q i - q i.+1)); lra.
rewrite /objective sq cross; lra.
Qed.

(** label: prop-c13-unique, at most one minimum. *)
Theorem one_minimum p q : (forall x, objective p <= objective x) -> (forall x, objective q <= objective x) ->
  forall i, (i < m.+1)%N -> p i = q i.
Proof.
move=> bp bq; pose h i := / 2 * p i + / 2 * q i.
have d0 i : (i < m.+1)%N -> 0 <= w i * Rsqr (p i - q i).
  by move=> hi; apply: Rmult_le_pos; [left; exact: w_pos|exact: Rsqr_ge0].
have mid : objective h <= / 2 * objective p + / 2 * objective q
    - / 8 * prefix (fun i => w i * Rsqr (p i - q i)) m.+1.
  have sq : prefix (fun i => w i * Rsqr (h i - z i)) m.+1 =
      / 2 * prefix (fun i => w i * Rsqr (p i - z i)) m.+1 + / 2 * prefix (fun i => w i * Rsqr (q i - z i)) m.+1
      + - / 4 * prefix (fun i => w i * Rsqr (p i - q i)) m.+1.
    by rewrite -!prefix_scal -!prefix_add; apply: prefix_ext => i _; rewrite /h /Rsqr; field.
  have st : prefix (step_down h) m <= / 2 * prefix (step_down p) m + / 2 * prefix (step_down q) m.
    rewrite -!prefix_scal -!prefix_add; apply: prefix_le => i _; rewrite /step_down /h.
    have a := Rmax_l 0 (p i - p i.+1); have b := Rmax_r 0 (p i - p i.+1).
    have a' := Rmax_l 0 (q i - q i.+1); have b' := Rmax_r 0 (q i - q i.+1).
    by apply: Rmax_lub; lra.
  have := Rmult_le_compat_l _ _ _ lambda_ge0 st; rewrite /objective sq; lra.
move=> i hi; have z0 := prefix_zero d0 ltac:(have := bp h; have := bq h; have := bp q; lra) hi.
by case: (Rmult_integral _ _ z0) => [|/Rsqr_0_uniq]; have := w_pos hi; lra.
Qed.

(** label: prop-c13-value: the value [v] of a bin from place [a] to place [b - 1]. *)
Theorem value_of_bin u p a b v : certificate u p -> (a <= b)%N -> (b <= m.+1)%N ->
  (forall i, (a <= i)%N -> (i < b)%N -> p i = v) ->
  v * (prefix w b - prefix w a) =
  prefix (fun i => w i * z i) b - prefix (fun i => w i * z i) a + (u a - u b).
Proof.
move=> [_ _ bal _]; elim: b => [|b IH] ab bn same; first by move: ab; rewrite leqn0 => /eqP -> /=; ring.
move: ab; rewrite leq_eqVlt => /orP[/eqP ->|ab]; first by ring.
have e := IH ab (ltnW bn) (fun i h1 h2 => same i h1 (ltnW h2)).
have f := bal b bn; rewrite (same b ab (ltnSn b)) in f; rewrite /=; lra.
Qed.

(** label: thm-c13-end, first sentence: from the largest slack on, isotonic regression is the fit. *)
Theorem end_of_path p : certified m.+1 w (fun i => w i * z i) p ->
  (forall i, (i < m)%N -> slack w (fun i => w i * z i) p i.+1 <= lambda) ->
  certificate (slack w (fun i => w i * z i) p) p.
Proof.
move=> [mono ge0 last zero] le; split=> // [i _|i hi]; first by rewrite /slack /=; ring.
have g := ge0 i.+1 (leqW hi).
split=> [lt|lt|]; first by have := mono i hi; lra.
  exact: zero.
by split=> //; exact: le.
Qed.

(** label: thm-c13-end, second sentence: below a slack, isotonic regression is not the fit. *)
Theorem before_the_end p i : (i < m)%N ->
  lambda < slack w (fun i => w i * z i) p i.+1 -> ~ exists u, certificate u p.
Proof.
move=> hi lt [u [u0 _ bal sg]]; have e j : (j <= m.+1)%N -> u j = slack w (fun i => w i * z i) p j.
  elim: j => [|j IH] hj; first by rewrite u0.
  by have := bal j hj; rewrite (IH (ltnW hj)) /slack /=; lra.
by have [_ _ r] := sg i hi; rewrite e in r; [lra|exact: ltnW].
Qed.
End Near.
