(** One probability from two, or from several pairs. *)
From Calibration Require Import Fin Scores Average.

(** One regret falls and the other rises with [p], and they are equal at [x]: so [x] is the only place
    where the larger one is as small as possible. *)
Lemma minimax (f g : R -> R) x p : (p < x -> f x < f p) -> (x < p -> g x < g p) -> f x = g x ->
  p <> x -> Rmax (f x) (g x) < Rmax (f p) (g p).
Proof.
move=> hf hg e ne; rewrite Rmax_left; last lra.
case: (Rtotal_order p x) => [lt|[//|gt]].
- by apply: Rlt_le_trans (hf lt) _; exact: Rmax_l.
- by rewrite e; apply: Rlt_le_trans (hg gt) _; exact: Rmax_r.
Qed.

Section Folds.
(** Folds [k] with the pairs [p0 k], [p1 k].  The mean regrets of [p], if the label is 1 or 0. *)
Variables (K : finType) (p0 p1 : K -> R).
Hypotheses (some_fold : (0 < #|K|)%N) (p0_lt : forall k, p0 k < 1) (p1_gt : forall k, 0 < p1 k).
Definition mean_of (f : K -> R) := / INR #|K| * \rsum_k f k.
Definition regret1 p := mean_of (fun k => ln (p1 k / p)).
Definition regret0 p := mean_of (fun k => ln ((1 - p0 k) / (1 - p))).
Definition geometric1 := exp (mean_of (fun k => ln (p1 k))).
Definition geometric0 := exp (mean_of (fun k => ln (1 - p0 k))).
Definition cross_merge := geometric1 / (geometric0 + geometric1).

Lemma mean_of_shift f c : mean_of (fun k => f k - c) = mean_of f - c.
Proof.
have K0 : 0 < INR #|K| by apply: lt_0_INR; apply/ltP.
rewrite /mean_of sum_sub; have -> : \rsum_(k : K) c = INR #|K| * c by rewrite -sum_const.
by move: K0; set n := INR #|K| => K0; field; lra.
Qed.

Lemma regrets p : 0 < p < 1 -> regret1 p = ln geometric1 - ln p /\ regret0 p = ln geometric0 - ln (1 - p).
Proof.
move=> hp; rewrite /geometric1 /geometric0 !ln_exp -!mean_of_shift /regret1 /regret0 /mean_of.
split; congr (_ * _); apply: eq_bigr => k _; have a := p0_lt k; have b := p1_gt k;
  by rewrite /Rdiv ln_mult ?ln_Rinv; try lra; apply: Rinv_0_lt_compat; lra.
Qed.

(** label: prop-c20-cvap, both sentences. *)
Theorem cross_merge_is_minimax p : 0 < p < 1 -> p <> cross_merge ->
  Rmax (regret1 cross_merge) (regret0 cross_merge) < Rmax (regret1 p) (regret0 p).
Proof.
move=> hp ne; have g1 : 0 < geometric1 := exp_pos _; have g0 : 0 < geometric0 := exp_pos _.
have x01 : 0 < cross_merge < 1.
  split; first by apply: Rdiv_lt_0_compat; lra.
  by apply: (Rmult_lt_reg_r (geometric0 + geometric1)); [lra|rewrite /cross_merge /Rdiv Rmult_assoc Rinv_l; lra].
have [a1 a0] := regrets hp; have [b1 b0] := regrets x01.
apply: (minimax (f := regret1) (g := regret0)) => // [lt|lt|].
- by rewrite a1 b1; have := ln_increasing p cross_merge ltac:(lra) lt; lra.
- by rewrite a0 b0; have := ln_increasing (1 - p) (1 - cross_merge) ltac:(lra) ltac:(lra); lra.
- rewrite b1 b0; have -> : 1 - cross_merge = geometric0 / (geometric0 + geometric1).
    by rewrite /cross_merge; field; lra.
  by rewrite /cross_merge /Rdiv !ln_mult ?ln_Rinv; try lra; apply: Rinv_0_lt_compat; lra.
Qed.

(** label: prop-c20-cvap, last sentence. *)
Theorem cross_merge_log_odds :
  ln (cross_merge / (1 - cross_merge)) =
  mean_of (fun k => let p := p1 k / (1 - p0 k + p1 k) in ln (p / (1 - p))).
Proof.
have g1 : 0 < geometric1 := exp_pos _; have g0 : 0 < geometric0 := exp_pos _.
have -> : cross_merge / (1 - cross_merge) = geometric1 / geometric0.
  by rewrite /cross_merge; field; lra.
rewrite /Rdiv ln_mult ?ln_Rinv //; last exact: Rinv_0_lt_compat.
have -> : ln geometric1 + - ln geometric0 =
    mean_of (fun k => ln (p1 k)) - mean_of (fun k => ln (1 - p0 k)) by rewrite !ln_exp.
rewrite /mean_of -Rmult_minus_distr_l -sum_sub; congr (_ * _); apply: eq_bigr => k _ /=.
have a := p0_lt k; have b := p1_gt k.
have -> : p1 k * / (1 - p0 k + p1 k) * / (1 - p1 k * / (1 - p0 k + p1 k)) = p1 k * / (1 - p0 k).
  by field; lra.
by rewrite ln_mult ?ln_Rinv //; try lra; apply: Rinv_0_lt_compat; lra.
Qed.
End Folds.

Section Pair.
Variables (p0 p1 : R).
Hypotheses (ordered : p0 <= p1) (low : 0 <= p0 < 1) (high : 0 < p1 <= 1).
Local Notation width := (p1 - p0).
Local Notation middle := ((p0 + p1) / 2).
Definition merged_log := p1 / (1 - p0 + p1).
Definition merged_square := p1 + (Rsqr p0 - Rsqr p1) / 2.

Lemma merged_log_inside : p0 <= merged_log <= p1 /\ 0 < merged_log < 1.
Proof.
have D : 0 < 1 - p0 + p1 by lra.
have e : merged_log * (1 - p0 + p1) = p1 by rewrite /merged_log; field; lra.
by split; split; nra.
Qed.

(** label: prop-c19-merge, log loss: the two regrets are log(1 + width), every other [p] has a larger
    one, the merge moves towards 1/2 and stays inside. *)
Theorem merge_for_log_loss :
  let regret1 p := ln (p1 / p) in let regret0 p := ln ((1 - p0) / (1 - p)) in
  [/\ regret1 merged_log = ln (1 + width), regret0 merged_log = ln (1 + width),
      forall p, 0 < p < 1 -> p <> merged_log ->
        Rmax (regret1 merged_log) (regret0 merged_log) < Rmax (regret1 p) (regret0 p),
      merged_log = middle + width / (1 + width) * (/ 2 - middle) &
      p0 <= merged_log <= p1 /\ 0 < merged_log < 1].
Proof.
move=> regret1 regret0; have ins := merged_log_inside; have D : 0 < 1 - p0 + p1 by lra.
have e1 : regret1 merged_log = ln (1 + width).
  by rewrite /regret1 /merged_log; congr ln; field; lra.
have e0 : regret0 merged_log = ln (1 + width).
  by rewrite /regret0 /merged_log; congr ln; field; lra.
split=> // [p hp ne|]; last by rewrite /merged_log; field; lra.
have mono a x y : 0 < a -> 0 < x -> x < y -> ln (a / y) < ln (a / x).
  move=> a0 x0 xy; apply: ln_increasing; first by apply: Rdiv_lt_0_compat; lra.
  by apply: Rmult_lt_compat_l => //; apply: Rinv_lt_contravar; nra.
apply: minimax => // [lt|lt|]; last by rewrite e1 e0.
- by apply: mono; lra.
- by apply: mono; lra.
Qed.

(** label: prop-c19-merge, square loss. *)
Theorem merge_for_square_loss :
  let regret1 p := Rsqr (1 - p) - Rsqr (1 - p1) in let regret0 p := Rsqr p - Rsqr p0 in
  [/\ regret1 merged_square = width * (2 - width) * (middle * (1 - middle)),
      regret0 merged_square = width * (2 - width) * (middle * (1 - middle)),
      forall p, 0 <= p <= 1 -> p <> merged_square ->
        Rmax (regret1 merged_square) (regret0 merged_square) < Rmax (regret1 p) (regret0 p),
      merged_square = middle + width * (/ 2 - middle) &
      p0 <= merged_square <= p1 /\ 0 < merged_square < 1].
Proof.
move=> regret1 regret0.
have ins : p0 <= merged_square <= p1 /\ 0 < merged_square < 1.
  have c0 : 0 <= width * (2 - (p0 + p1)) by nra.
  have c1 : 0 <= width * (p0 + p1) by nra.
  have a : p0 <= merged_square by rewrite /merged_square /Rsqr; lra.
  have b : merged_square <= p1 by rewrite /merged_square /Rsqr; lra.
  split=> //; split.
    case: (proj1 low) => [|z]; first lra.
    by rewrite /merged_square /Rsqr -z; nra.
  case: (proj2 high) => [|z]; first lra.
  by rewrite /merged_square /Rsqr z; nra.
have e1 : regret1 merged_square = width * (2 - width) * (middle * (1 - middle)).
  by rewrite /regret1 /merged_square /Rsqr; field.
have e0 : regret0 merged_square = width * (2 - width) * (middle * (1 - middle)).
  by rewrite /regret0 /merged_square /Rsqr; field.
split=> // [p hp ne|]; last by rewrite /merged_square /Rsqr; field.
apply: minimax => // [lt|lt|]; last by rewrite e1 e0.
- by rewrite /regret1 /Rsqr; nra.
- by rewrite /regret0 /Rsqr; nra.
Qed.
End Pair.
