(** Isotonic regression exists and is unique: the least-squares fit is the certified one. *)
From Calibration Require Import Fin Isotonic.

Lemma argmin (f : nat -> R) n : exists b, (b <= n)%N /\ forall j, (j <= n)%N -> f b <= f j.
Proof.
elim: n => [|n [b [bn h]]].
  by exists 0%N; split=> // j; rewrite leqn0 => /eqP ->; lra.
case: (Rle_lt_dec (f b) (f n.+1)) => le.
  by exists b; split=> [|j]; [exact: leqW|rewrite leq_eqVlt => /orP[/eqP ->|/h]].
exists n.+1; split=> // j; rewrite leq_eqVlt => /orP[/eqP ->|/h]; lra.
Qed.

(** A certified fit exists for all weights and label sums.  Its first block ends where the mean from
    the start is smallest, and the rest follows in the same way.  No value of the first block is below
    a bound of all means from the start; the proof by induction needs that. *)
Theorem isotonic_exists n : forall w s, (forall i, (i < n)%N -> 0 < w i) ->
  exists p, certified n w s p /\ ((0 < n)%N -> forall c,
    (forall j, (j < n)%N -> c * prefix w j.+1 <= prefix s j.+1) -> c <= p 0%N).
Proof.
elim/ltn_ind: n => -[|n] IH w s wp.
  exists (fun=> 0); split=> //; split=> // i; rewrite leqn0 => /eqP ->; rewrite /slack /=; lra.
have Wp j : (j <= n)%N -> 0 < prefix w j.+1.
  by move=> jn; apply: prefix_pos => i ij; apply: wp; exact: leq_trans ij _.
have [b [bn hb]] := argmin (fun j => prefix s j.+1 / prefix w j.+1) n.
set v := _ / _ in hb.
have vb : v * prefix w b.+1 = prefix s b.+1 by rewrite /v; field; have := Wp b bn; lra.
have vj j : (j <= n)%N -> v * prefix w j.+1 <= prefix s j.+1.
  move=> jn; have W := Wp j jn; have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ W) (hb j jn).
  by have -> : prefix s j.+1 / prefix w j.+1 * prefix w j.+1 = prefix s j.+1 by field; lra.
have small : (n - b < n.+1)%N by rewrite ltnS leq_subr.
have rest i : (i < n - b)%N -> (b.+1 + i < n.+1)%N by rewrite addSn ltnS ltn_subRL.
have [q [[qm q0 ql qz] qc]] := IH (n - b)%N small (fun i => w (b.+1 + i)%N) (fun i => s (b.+1 + i)%N)
  (fun i hi => wp _ (rest i hi)).
pose p i := if (i <= b)%N then v else q (i - b.+1)%N.
have pq i : p (b.+1 + i)%N = q i by rewrite /p leqNgt ltnS leq_addr /= addKn.
have slack1 j : (j <= b.+1)%N -> slack w s p j = prefix s j - v * prefix w j.
  move=> jb; rewrite /slack; have -> : prefix s j - v * prefix w j = prefix s j + - v * prefix w j by ring.
  rewrite -prefix_scal -prefix_add; apply: prefix_ext => i ij.
  by rewrite /p -ltnS (leq_trans ij jb); ring.
have sb : slack w s p b.+1 = 0 by rewrite slack1 // vb; ring.
have slack2 j : slack w s p (b.+1 + j) = slack (fun i => w (b.+1 + i)%N) (fun i => s (b.+1 + i)%N) q j.
  rewrite {1}/slack prefix_shift -/(slack w s p b.+1) sb Rplus_0_l.
  by apply: prefix_ext => i _; rewrite pq.
have split_at j : (b < j)%N -> exists i, j = (b.+1 + i)%N by exists (j - b.+1)%N; rewrite subnKC.
exists p; split; last first.
  move=> _ c hc; have := hc b (leq_ltn_trans bn (ltnSn n)); rewrite -vb /p leq0n => le.
  exact: (Rmult_le_reg_r _ _ _ (Wp b bn) le).
split.
- move=> i hi; case: (ltngtP i b) => ib.
  + by rewrite /p (ltnW ib) ib; lra.
  + have [j e] := split_at i ib; rewrite e -addnS !pq; apply: qm.
    by move: hi; rewrite e -addnS addSn ltnS -ltn_subRL.
  + have e0 : p b.+1 = q 0%N by rewrite -[b.+1]addn0 pq.
    rewrite ib e0 {1}/p leqnn; apply: qc; first by rewrite subn_gt0 -ib.
    move=> j hj; have := vj (b.+1 + j)%N (rest j hj).
    by rewrite -addnS !prefix_shift -vb; lra.
- move=> j hj; case: (leqP j b.+1) => jb.
    rewrite slack1 //; case: j hj jb => [|j] hj jb; first by rewrite /=; lra.
    have := vj j hj; lra.
  have [i e] := split_at j (ltnW jb); rewrite e slack2; apply: q0.
  by move: hj; rewrite e addSn ltnS -leq_subRL.
- by have e : n.+1 = (b.+1 + (n - b))%N; [rewrite addSn subnKC|rewrite e slack2].
- move=> i hi; case: (ltngtP i b) => ib.
  + by rewrite /p (ltnW ib) ib; lra.
  + have [j e] := split_at i ib; rewrite e -addnS !pq slack2; apply: qz.
    by move: hi; rewrite e -addnS addSn ltnS -ltn_subRL.
  + by move=> _; rewrite ib.
Qed.

Lemma certified_ext n w s p q : (forall i, (i < n)%N -> p i = q i) -> certified n w s p ->
  certified n w s q.
Proof.
move=> e [m g l z]; have es j : (j <= n)%N -> slack w s q j = slack w s p j.
  by move=> jn; apply: prefix_ext => i ij; rewrite e // (leq_trans ij jn).
split=> [i hi|i hi||i hi lt].
- by rewrite -!e //; [exact: m|exact: ltnW].
- by rewrite es //; exact: g.
- by rewrite es.
- rewrite es ?(ltnW hi) //; apply: z => //; by rewrite !e // ltnW.
Qed.

(** label: thm-c6-likelihood, existence and uniqueness: a fit has the least sum of squares if and only
    if it is certified, and exactly one is. *)
Theorem least_squares_certified n w s p : (forall i, (i < n)%N -> 0 < w i) ->
  least_squares n w s p <-> certified n w s p.
Proof.
move=> wp; split=> [[mono best]|cert]; last first.
  split; first by case: cert.
  move=> q hq; have := isotonic_squares wp cert hq.
  have : 0 <= prefix (fun i => w i * Rsqr (p i - q i)) n; last lra.
  by apply: prefix_ge0 => i hi; have := wp i hi; have := Rle_0_sqr (p i - q i); nra.
have [p' [cert _]] := isotonic_exists s wp; apply: (certified_ext _ cert) => i hi.
have h := isotonic_squares wp cert mono; have m' : nondecreasing n p' by case: cert.
have b := best p' m'; have z : w i * Rsqr (p' i - p i) = 0.
  apply: (prefix_zero (f := fun i => w i * Rsqr (p' i - p i)) (n := n)) => // [j hj|]; last lra.
  by have := wp j hj; have := Rle_0_sqr (p' j - p j); nra.
have w0 := wp i hi; case: (Rmult_integral _ _ z) => [|/Rsqr_0_uniq]; lra.
Qed.

(** There is exactly one least-squares fit. *)
Theorem isotonic_regression n w s : (forall i, (i < n)%N -> 0 < w i) ->
  exists p, least_squares n w s p /\ forall q, least_squares n w s q -> forall i, (i < n)%N -> q i = p i.
Proof.
move=> wp; have [p [cert _]] := isotonic_exists s wp; exists p.
split=> [|q [mono best] i hi]; first exact/least_squares_certified.
have h := isotonic_squares wp cert mono; have b := best p ltac:(by case: cert).
have z : w i * Rsqr (p i - q i) = 0.
  apply: (prefix_zero (f := fun i => w i * Rsqr (p i - q i)) (n := n)) => // [j hj|]; last lra.
  by apply: Rmult_le_pos; [left; exact: wp|exact: Rsqr_ge0].
by case: (Rmult_integral _ _ z) => [|/Rsqr_0_uniq]; have := wp i hi; lra.
Qed.
