"""The experiments of the papers: protocol, runner and tables, one module per paper."""
