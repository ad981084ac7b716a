(** Averages of forecasters: what an average cannot lose. *)
From Calibration Require Import Fin Scores.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. by move=> x0 [lt|->]; [left; exact: ln_increasing|lra]. Qed.

Lemma ln_le_minus_1 x : 0 < x -> ln x <= x - 1.
Proof. by move=> x0; have := ln_tangent Rlt_0_1 x0; rewrite ln_1 /Rdiv Rinv_1; lra. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. by case=> [lt|->]; [left; exact: exp_increasing|lra]. Qed.

Section Weights.
(** Members [k] with the weights [v k], which are not negative and add up to 1. *)
Variables (K : finType) (v : K -> R).
Hypotheses (v_ge0 : forall k, 0 <= v k) (v_sum : \rsum_k v k = 1).

Lemma some_weight : exists k, 0 < v k.
Proof.
case: (pickP (fun k => ltb 0 (v k))) => [k /ltbP|no]; first by exists k.
have z : \rsum_k v k = 0; last by have := v_sum; rewrite z; lra.
by apply: big1 => k _; have := no k; case: ltbP => // nl _; have := v_ge0 k; lra.
Qed.

Lemma average_pos (q : K -> R) : (forall k, 0 < q k) -> 0 < \rsum_k v k * q k.
Proof.
move=> q0; have [k vk] := some_weight.
have t : v k * q k <= \rsum_k v k * q k.
  apply: (sum_term (P := xpredT) (f := fun k => v k * q k)) => // j _.
  by apply: Rmult_le_pos => //; have := q0 j; lra.
by have := Rmult_lt_0_compat _ _ vk (q0 k); lra.
Qed.

(** label: prop-c40-jensen, probabilities [q k] of what happened that are positive. *)
Theorem average_gains (q : K -> R) : (forall k, 0 < q k) ->
  - ln (\rsum_k v k * q k) <= \rsum_k v k * - ln (q k) /\
  (- ln (\rsum_k v k * q k) = \rsum_k v k * - ln (q k) ->
   forall j k, 0 < v j -> 0 < v k -> q j = q k).
Proof.
move=> q0; have m0 := average_pos q0; set m := \rsum_k v k * q k in m0 *.
pose d k := v k * (ln m + (q k - m) / m - ln (q k)).
have d0 k : 0 <= d k.
  by apply: Rmult_le_pos => //; have := ln_tangent m0 (q0 k); lra.
have e : \rsum_k d k = ln m + \rsum_k v k * - ln (q k).
  have -> : \rsum_k d k = \rsum_k ((ln m - 1) * v k + (/ m * (v k * q k) + v k * - ln (q k))).
    by apply: eq_bigr => k _; rewrite /d; field; lra.
  by rewrite !big_split /= !sum_scal v_sum -/m; field; lra.
have s0 := sum_ge0 (P := xpredT) (fun k _ => d0 k); split; first by rewrite e in s0; lra.
move=> eq; have z : \rsum_k d k = 0 by rewrite e -eq; ring.
have one k : 0 < v k -> q k = m.
  move=> vk; have := sum_zero (P := xpredT) (fun k _ => d0 k) z (i := k) isT.
  case: (Req_dec m (q k)) => // ne; have lt := ln_tangent_lt m0 (q0 k) ne.
  rewrite /d => zk; have p : 0 < ln m + (q k - m) / m - ln (q k) by lra.
  by have := Rmult_lt_0_compat _ _ vk p; lra.
by move=> j k vj vk; rewrite !one.
Qed.

Section Spread.
(** A new point [w], drawn with the law [P], has the label [z w], which is positive with probability
    [pi w].  Member [k] predicts [f k w]. *)
Variables (W : finType) (P : law W) (z : W -> bool) (pi : W -> R) (f : K -> W -> R).
Definition average w := \rsum_k v k * f k w.
Definition spread := E P (fun w => \rsum_k v k * Rsqr (f k w - average w)).

Lemma spread_at w (a b c : R) :
  \rsum_k v k * (a * Rsqr (f k w) + b * f k w + c) =
  a * Rsqr (average w) + b * average w + c + a * \rsum_k v k * Rsqr (f k w - average w).
Proof.
have -> : \rsum_k v k * (a * Rsqr (f k w) + b * f k w + c) =
    a * (\rsum_k v k * Rsqr (f k w)) + b * average w + c.
  rewrite -[X in _ = _ + X]Rmult_1_r -v_sum /average -!sum_scal -!big_split.
  by apply: eq_bigr => k _ /=; ring.
have -> : \rsum_k v k * Rsqr (f k w - average w) =
    \rsum_k v k * Rsqr (f k w) - Rsqr (average w); last by ring.
have -> : \rsum_k v k * Rsqr (f k w - average w) = \rsum_k (v k * Rsqr (f k w)
    + (- 2 * average w * (v k * f k w) + Rsqr (average w) * v k)).
  by apply: eq_bigr => k _; rewrite /Rsqr; ring.
by rewrite !big_split /= !sum_scal v_sum -/(average w) /Rsqr; ring.
Qed.

(** label: thm-c11-spread, both equations. *)
Theorem spread_of_average c :
  E P (fun w => Rsqr (average w - pi w)) =
    \rsum_k v k * E P (fun w => Rsqr (f k w - pi w)) - spread /\
  E P (fun w => (ind (z w) - average w) * (average w - c)) =
    \rsum_k v k * E P (fun w => (ind (z w) - f k w) * (f k w - c)) + spread.
Proof.
have comb (X : K -> W -> R) : \rsum_k v k * E P (X k) = E P (fun w => \rsum_k v k * X k w).
  by rewrite E_sum; apply: eq_bigr => k _; rewrite E_scal.
rewrite !comb /spread -E_sub -E_add; split; apply: E_ext => w.
- rewrite (eq_bigr (fun k => v k * (1 * Rsqr (f k w) + - 2 * pi w * f k w + Rsqr (pi w)))).
    by rewrite spread_at /Rsqr; ring.
  by move=> k _; rewrite /Rsqr; ring.
- rewrite (eq_bigr (fun k => v k * (-1 * Rsqr (f k w) + (ind (z w) + c) * f k w + - c * ind (z w)))).
    by rewrite spread_at /Rsqr; ring.
  by move=> k _; rewrite /Rsqr; ring.
Qed.

(** label: cor-c11-pool *)
Theorem average_is_not_calibrated :
  (forall k, 0 < v k) -> (forall k, calibrated P z (f k)) ->
  (exists w j k, 0 < P w /\ f j w <> f k w) ->
  E P (fun w => Rsqr (average w - pi w)) < \rsum_k v k * E P (fun w => Rsqr (f k w - pi w)) /\
  ~ calibrated P z average.
Proof.
move=> v0 cal [w [j [k [Pw ne]]]].
have t0 x : 0 <= \rsum_k v k * Rsqr (f k x - average x).
  by apply: sum_ge0 => i _; apply: Rmult_le_pos => //; exact: Rsqr_ge0.
have pos : 0 < spread.
  have p0 x : 0 <= P x * \rsum_k v k * Rsqr (f k x - average x).
    by apply: Rmult_le_pos => //; exact: mass_ge0.
  case: (sum_ge0 (P := xpredT) (fun x _ => p0 x)) => // e; case: ne.
  have z0 := sum_zero (P := xpredT) (fun x _ => p0 x) (esym e) (i := w) isT.
  have {}z0 : \rsum_k v k * Rsqr (f k w - average w) = 0.
    by case: (Rmult_integral _ _ z0) => // h; lra.
  have q0 i : 0 <= v i * Rsqr (f i w - average w) by apply: Rmult_le_pos => //; exact: Rsqr_ge0.
  have one i : f i w = average w.
    have := sum_zero (P := xpredT) (fun i _ => q0 i) z0 (i := i) isT.
    by case/Rmult_integral => [h|/Rsqr_0_uniq]; have := v0 i; lra.
  by rewrite !one.
have [e1 e2] := spread_of_average 0; split; first by rewrite e1; lra.
move=> c; move: e2; rewrite (E_ext _ (Y := fun w => (ind (z w) - average w) * average w)); last first.
  by move=> x; ring.
rewrite (c (fun x => x)) (eq_bigr (fun=> 0)) ?big1 //; first lra.
move=> i _; rewrite (E_ext _ (Y := fun w => (ind (z w) - f i w) * f i w)) => [|x]; last by ring.
by rewrite (cal i (fun x => x)); ring.
Qed.
End Spread.

Section Certificate.
(** Rows [i] with the probabilities [q i k] of what happened; the prior is worth [alpha]
    pseudo-rows for each member. *)
Variables (I : finType) (q : I -> K -> R) (alpha : R).
Hypotheses (rows : (0 < #|I|)%N) (q_pos : forall i k, 0 < q i k) (alpha_ge0 : 0 <= alpha).
Local Notation n := (INR #|I|).
Definition objective (u : K -> R) :=
  / n * \rsum_i ln (\rsum_k u k * q i k) + alpha / n * \rsum_k ln (u k).
Definition ratio i k := q i k / \rsum_j v j * q i j.

(** label: prop-c40-gap, positive weights and probabilities. *)
Theorem certificate (u : K -> R) (M : R) : (forall k, 0 < v k) -> (forall k, 0 < u k) -> \rsum_k u k = 1 ->
  (forall k, / n * \rsum_i ratio i k + alpha / (n * v k) <= M) ->
  objective u - objective v <= M - 1 - INR #|K| * alpha / n.
Proof.
move=> v0 u0 u1 hM; have n0 : 0 < n by apply: lt_0_INR; apply/ltP.
have s0 i : 0 < \rsum_j v j * q i j by exact: average_pos.
have row i : ln (\rsum_k u k * q i k) - ln (\rsum_j v j * q i j) <= \rsum_k u k * ratio i k - 1.
  have p : 0 < \rsum_k u k * q i k.
    have [k _] := some_weight; apply: Rlt_le_trans (sum_term (P := xpredT) (i := k) _ _) => //.
      exact: Rmult_lt_0_compat.
    by move=> j _; left; exact: Rmult_lt_0_compat.
  have t := ln_tangent (s0 i) p.
  have -> : \rsum_k u k * ratio i k = (\rsum_k u k * q i k) / \rsum_j v j * q i j.
    by rewrite /Rdiv big_distrl; apply: eq_bigr => k _ /=; rewrite /ratio /Rdiv; ring.
  suff e : ((\rsum_k u k * q i k) - \rsum_j v j * q i j) / (\rsum_j v j * q i j) =
    (\rsum_k u k * q i k) / (\rsum_j v j * q i j) - 1 by lra.
  by field; have := s0 i; lra.
have prior k : ln (u k) - ln (v k) <= u k / v k - 1.
  have t := ln_tangent (v0 k) (u0 k).
  suff e : (u k - v k) / v k = u k / v k - 1 by lra.
  by field; have := v0 k; lra.
have A : / n * \rsum_i (ln (\rsum_k u k * q i k) - ln (\rsum_j v j * q i j)) <=
         / n * \rsum_i (\rsum_k u k * ratio i k - 1).
  by apply: Rmult_le_compat_l; [left; exact: Rinv_0_lt_compat|apply: sum_le => i _; exact: row].
have B : alpha / n * \rsum_k (ln (u k) - ln (v k)) <= alpha / n * \rsum_k (u k / v k - 1).
  apply: Rmult_le_compat_l; last by apply: sum_le => k _; exact: prior.
  by apply: Rmult_le_pos => //; left; exact: Rinv_0_lt_compat.
have top : \rsum_k u k * (/ n * \rsum_i ratio i k + alpha / (n * v k)) <= M.
  apply: Rle_trans (sum_weighted_le (w := u) (M := M) _ _) _ => [k _|k _|]; [by left|exact: hM|].
  by rewrite u1; lra.
have eq : / n * \rsum_i (\rsum_k u k * ratio i k - 1) + alpha / n * \rsum_k (u k / v k - 1) =
  \rsum_k u k * (/ n * \rsum_i ratio i k + alpha / (n * v k)) - 1 - INR #|K| * alpha / n.
  rewrite !sum_sub (sum_const I) (sum_const K) exchange_big /=.
  have -> : \rsum_k u k * (/ n * \rsum_i ratio i k + alpha / (n * v k)) =
     / n * \rsum_j \rsum_i u j * ratio i j + alpha / n * \rsum_k u k / v k.
    rewrite -!sum_scal -big_split; apply: eq_bigr => k _ /=; rewrite sum_scal.
    by have vk := v0 k; field; split; apply: Rgt_not_eq.
  set A2 := \rsum_j \rsum_i _; set B2 := \rsum_k u k / v k; set N2 := INR #|I| in n0 *; set k2 := INR #|K|; field; exact: Rgt_not_eq.
move: A B; rewrite /objective !sum_sub; move: eq; rewrite !sum_sub => eq A B.
by have := Rplus_le_compat _ _ _ _ A B; rewrite eq; lra.
Qed.
End Certificate.
End Weights.

Section Mixture.
(** Row [t] gives what happened the probability [q t k] under member [k].  The Bayes mixture weighs
    the members by their first weight and by what they have said so far. *)
Variables (K : finType) (w : K -> R) (q : nat -> K -> R).
Hypotheses (w_pos : forall k, 0 < w k) (w_sum : \rsum_k w k = 1) (q_pos : forall t k, 0 < q t k).
Definition total_loss k n := prefix (fun t => - ln (q t k)) n.
Definition weight n k := w k * exp (- total_loss k n).
Definition mixture n := (\rsum_k weight n k * q n k) / \rsum_k weight n k.
Definition mixture_loss n := prefix (fun t => - ln (mixture t)) n.

Lemma weights_pos n : 0 < \rsum_k weight n k.
Proof.
have w0 k : 0 <= w k by left.
have := average_pos w0 w_sum (q := fun k => exp (- total_loss k n)); apply=> k; exact: exp_pos.
Qed.

Lemma next_weight n k : weight n.+1 k = weight n k * q n k.
Proof.
rewrite /weight /total_loss /= -/(total_loss k n).
have -> : - (total_loss k n + - ln (q n k)) = - total_loss k n + ln (q n k) by ring.
by rewrite exp_plus exp_ln //; ring.
Qed.

Lemma mixture_loss_closed n : mixture_loss n = - ln (\rsum_k weight n k).
Proof.
elim: n => [|n IH].
  rewrite /mixture_loss /=; have -> : \rsum_k weight 0 k = 1; last by rewrite ln_1; ring.
  by rewrite -w_sum; apply: eq_bigr => k _; rewrite /weight /total_loss /= Ropp_0 exp_0; ring.
rewrite /mixture_loss /= -/(mixture_loss n) IH /mixture.
rewrite -(eq_bigr _ (fun k _ => next_weight n k)).
have a := weights_pos n; have b := weights_pos n.+1.
rewrite /Rdiv ln_mult ?ln_Rinv //; [ring|exact: Rinv_0_lt_compat].
Qed.

(** label: thm-c40-mixture, both bounds. *)
Theorem mixture_bounds n :
  (forall m, (forall k, m <= total_loss k n) -> m <= mixture_loss n) /\
  (forall k, mixture_loss n <= total_loss k n + ln (1 / w k)).
Proof.
have a := weights_pos n; rewrite mixture_loss_closed; split=> [m hm|k].
  have le : \rsum_k weight n k <= exp (- m).
    have -> : exp (- m) = \rsum_k w k * exp (- m) by rewrite -big_distrl /= w_sum; ring.
    apply: sum_le => k _; apply: Rmult_le_compat_l; first by left.
    by apply: exp_le; have := hm k; lra.
  by have := ln_le a le; rewrite ln_exp; lra.
have le : weight n k <= \rsum_k weight n k.
  apply: (sum_term (P := xpredT) (f := weight n)) => // j _.
  by apply: Rmult_le_pos; left; [exact: w_pos|exact: exp_pos].
have p : 0 < weight n k by apply: Rmult_lt_0_compat => //; exact: exp_pos.
have := ln_le p le; rewrite /weight ln_mult // ?ln_exp; last exact: exp_pos.
have -> : ln (1 / w k) = - ln (w k) by rewrite /Rdiv Rmult_1_l ln_Rinv.
lra.
Qed.
End Mixture.

(** label: thm-c11-regret, models [k] that predict [p t k] inside (0, 1): any labels, any order. *)
Theorem average_of_models (K : finType) (p : nat -> K -> R) (z : nat -> bool) n :
  (forall t k, 0 < p t k < 1) ->
  let q t k := if z t then p t k else 1 - p t k in
  forall k, mixture_loss (fun=> / INR #|K|) q n <=
    prefix (fun t => loss_log (z t) (p t k)) n + ln (INR #|K|).
Proof.
move=> p01 q k; have K0 : 0 < INR #|K| by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists k.
have [||t j|_ h] := @mixture_bounds K (fun=> / INR #|K|) q _ _ _ n.
- by move=> _; exact: Rinv_0_lt_compat.
- by have := sum_const K (/ INR #|K|) => /= ->; exact: Rinv_r (Rgt_not_eq _ _ K0).
- by rewrite /q; have := p01 t j; case: (z t); lra.
have := h k; have -> // : 1 / / INR #|K| = INR #|K|.
by rewrite /Rdiv Rmult_1_l Rinv_involutive //; exact: Rgt_not_eq.
Qed.

Section Harm.
(** Rows [i] with the probabilities [a i] (scores) and [b i] (average) of what happened; the mixture
    keeps the share [r] of the scores. *)
Variables (I : finType) (a b : I -> R).
Hypotheses (a_pos : forall i, 0 < a i) (b_pos : forall i, 0 < b i).
Definition loss_at r := \rsum_i - ln (r * a i + (1 - r) * b i).

Lemma ln_concave x y r : 0 < x -> 0 < y -> 0 <= r <= 1 ->
  r * ln x + (1 - r) * ln y <= ln (r * x + (1 - r) * y).
Proof.
move=> x0 y0 hr; have m0 : 0 < r * x + (1 - r) * y by nra.
set m := r * x + (1 - r) * y in m0 *.
have tx := ln_tangent m0 x0; have ty := ln_tangent m0 y0.
have e : r * ((x - m) / m) + (1 - r) * ((y - m) / m) = 0 by rewrite /m; field; rewrite -/m; lra.
have := Rmult_le_compat_l r _ _ ltac:(lra) tx.
have := Rmult_le_compat_l (1 - r) _ _ ltac:(lra) ty; lra.
Qed.

Lemma loss_convex r s x : 0 <= r <= 1 -> 0 <= s <= 1 -> 0 <= x <= 1 ->
  loss_at (x * r + (1 - x) * s) <= x * loss_at r + (1 - x) * loss_at s.
Proof.
move=> hr hs hx; rewrite /loss_at -!sum_scal -big_split; apply: sum_le => i _ /=.
have ai := a_pos i; have bi := b_pos i.
have p1 : 0 < r * a i + (1 - r) * b i by nra.
have p2 : 0 < s * a i + (1 - s) * b i by nra.
have := ln_concave p1 p2 hx.
have -> : x * (r * a i + (1 - r) * b i) + (1 - x) * (s * a i + (1 - s) * b i) =
  (x * r + (1 - x) * s) * a i + (1 - (x * r + (1 - x) * s)) * b i by ring.
lra.
Qed.

(** The gain of the mixture. *)
Theorem gain_of_mixture r : 0 <= r <= 1 ->
  (1 - r) * (loss_at 1 - loss_at 0) <= loss_at 1 - loss_at r.
Proof.
move=> hr; have := loss_convex (r := 1) (s := 0) (x := r) ltac:(lra) ltac:(lra) hr.
have -> : r * 1 + (1 - r) * 0 = r by ring.
lra.
Qed.

(** A smaller share harms as well, and so does the average itself. *)
Theorem harm_of_mixture r s : 0 <= s <= r -> r < 1 -> loss_at 1 < loss_at r -> loss_at 1 < loss_at s.
Proof.
move=> hs r1 harm; pose x := (r - s) / (1 - s).
have x0 : 0 <= x < 1.
  split; first by apply: Rmult_le_pos; [lra|left; apply: Rinv_0_lt_compat; lra].
  by apply: (Rmult_lt_reg_r (1 - s)); [lra|rewrite /x /Rdiv Rmult_assoc Rinv_l; lra].
have e : r = x * 1 + (1 - x) * s by rewrite /x; field; lra.
have := loss_convex (r := 1) (s := s) (x := x) ltac:(lra) ltac:(lra) ltac:(lra).
rewrite -e => le; apply: (Rmult_lt_reg_l (1 - x)); lra.
Qed.
End Harm.

(** label: prop-c41-hundredth, part 1: [p] and [q] are the probabilities of what happened. *)
Theorem hundredth_of_a_row eps p q : 0 < eps < 1 -> 0 < p -> 0 < q ->
  - ln ((1 - eps) * p + eps * q) <= - ln p - ln (1 - eps) /\
  - ln ((1 - eps) * p + eps * q) <= - ln q - ln eps.
Proof.
move=> he p0 q0; have a : 0 < (1 - eps) * p by apply: Rmult_lt_0_compat; lra.
have b : 0 < eps * q by apply: Rmult_lt_0_compat; lra.
have l1 := ln_le (x := (1 - eps) * p) (y := (1 - eps) * p + eps * q) a ltac:(lra).
have l2 := ln_le (x := eps * q) (y := (1 - eps) * p + eps * q) b ltac:(lra).
by rewrite ln_mult in l1; [rewrite ln_mult in l2; lra|lra|].
Qed.

(** label: prop-c41-hundredth, part 2. *)
Theorem hundredth_on_average eps p q : 0 < eps < 1 -> 0 < p < 1 -> 0 <= q <= 1 ->
  expected loss_log p ((1 - eps) * p + eps * q) - expected loss_log p p <=
  Rsqr eps / (1 - eps) * (Rsqr (p - q) / (p * (1 - p))).
Proof.
move=> he hp hq; set r := (1 - eps) * p + eps * q.
have r0 : (1 - eps) * p <= r by rewrite /r; nra.
have r1 : (1 - eps) * (1 - p) <= 1 - r by rewrite /r; nra.
have a : 0 < (1 - eps) * p by apply: Rmult_lt_0_compat; lra.
have b : 0 < (1 - eps) * (1 - p) by apply: Rmult_lt_0_compat; lra.
have rp : 0 < r by lra.
have rp' : 0 < 1 - r by lra.
have t1 := ln_tangent (x := r) (y := p) rp ltac:(lra).
have t2 := ln_tangent (x := 1 - r) (y := 1 - p) rp' ltac:(lra).
apply: Rle_trans (_ : p * ((p - r) / r) + (1 - p) * ((1 - p - (1 - r)) / (1 - r)) <= _).
  rewrite /expected /loss_log.
  have := Rmult_le_compat_l p _ _ ltac:(lra) t1.
  have := Rmult_le_compat_l (1 - p) _ _ ltac:(lra) t2; lra.
have -> : p * ((p - r) / r) + (1 - p) * ((1 - p - (1 - r)) / (1 - r)) =
  Rsqr (p - r) * (/ r + / (1 - r)) by rewrite /Rsqr; field; lra.
have e : Rsqr (p - r) = Rsqr eps * Rsqr (p - q) by rewrite /r /Rsqr; ring.
have -> : Rsqr eps / (1 - eps) * (Rsqr (p - q) / (p * (1 - p))) =
  Rsqr (p - r) * (/ ((1 - eps) * p) + / ((1 - eps) * (1 - p))) by rewrite e; field; lra.
apply: Rmult_le_compat_l; first exact: Rsqr_ge0.
by apply: Rplus_le_compat; apply: Rinv_le_contravar.
Qed.

Section Reach.
(** Models [t] with the criteria [C t]; [best] is the best one, or any other. *)
Variables (T : finType) (C : T -> R) (best : T) (eps : R).
Hypothesis eps_range : 0 < eps < 1.
Definition total := \rsum_t exp (- C t / 2).
Definition model_weight t := exp (- C t / 2) / total.
Definition rho := 2 * ln (INR #|T| / eps).
Definition out t := ltb (C best + rho) (C t).
Definition weight_out := \rsum_(t | out t) model_weight t.

Lemma total_ge t : exp (- C t / 2) <= total.
Proof.
by apply: (sum_term (P := xpredT) (f := fun t => exp (- C t / 2))) => // j _; left; exact: exp_pos.
Qed.

Lemma models_pos : 0 < INR #|T|.
Proof. by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists best. Qed.

(** label: thm-c14-reach, first sentence. *)
Theorem out_of_reach : weight_out < eps.
Proof.
have T0 := models_pos; have b0 := exp_pos (- C best / 2); have tot := total_ge best.
pose c := eps / INR #|T|.
have c0 : 0 < c by apply: Rdiv_lt_0_compat; lra.
have one t : out t -> model_weight t < c.
  move/ltbP => lt; rewrite /model_weight; apply: (Rmult_lt_reg_r total); first lra.
  rewrite /Rdiv Rmult_assoc Rinv_l; last lra.
  apply: Rlt_le_trans (_ : c * exp (- C best / 2) <= _); last first.
    by apply: Rmult_le_compat_l; lra.
  have -> : c * exp (- C best / 2) = exp (ln c + - C best / 2) by rewrite exp_plus exp_ln.
  rewrite Rmult_1_r; apply: exp_increasing.
  have -> : ln c = - ln (INR #|T| / eps).
    by rewrite -ln_Rinv; [congr ln; rewrite /c; field; lra|apply: Rdiv_lt_0_compat; lra].
  by rewrite /rho in lt; lra.
case: (pickP out) => [t ot|no]; last first.
  by rewrite /weight_out big1 => [|t]; [lra|rewrite no].
have all : \rsum_(t | out t) (c - model_weight t) <= eps - weight_out.
  rewrite sum_sub; have : \rsum_(t | out t) c <= eps; last by rewrite /weight_out; lra.
  have <- : \rsum_(t : T) c = eps by have := sum_const T c => /= ->; exact: mult_div.
  by rewrite big_mkcond; apply: sum_le => j _; case: ifP => _; lra.
have := sum_term (P := out) (f := fun t => c - model_weight t) (i := t).
move=> /(_ (fun j oj => ltac:(have := one j oj; lra)) ot); have := one t ot; lra.
Qed.

(** label: thm-c14-reach, second sentence: [f t] is what model [t] predicts for some score. *)
Theorem leaving_out (f : T -> R) : (forall t, 0 <= f t <= 1) ->
  Rabs (\rsum_t model_weight t * f t -
        (\rsum_(t | ~~ out t) model_weight t * f t) / (1 - weight_out)) <= eps.
Proof.
move=> f01; have lt := out_of_reach; have b0 := exp_pos (- C best / 2); have tot := total_ge best.
have w0 t : 0 <= model_weight t.
  by apply: Rmult_le_pos; left; [exact: exp_pos|apply: Rinv_0_lt_compat; lra].
have w1 : \rsum_t model_weight t = 1.
  by rewrite /model_weight /Rdiv -big_distrl /= -/total Rinv_r; lra.
have split2 (h : T -> R) : \rsum_t h t = \rsum_(t | out t) h t + \rsum_(t | ~~ out t) h t.
  by rewrite (bigID out).
have i1 : \rsum_(t | ~~ out t) model_weight t = 1 - weight_out.
  by have := split2 model_weight; rewrite w1 /weight_out; lra.
rewrite split2; set A := \rsum_(t | out t) _; set B := \rsum_(t | ~~ out t) model_weight t * f t.
have o0 : 0 <= weight_out by apply: sum_ge0.
have A01 : 0 <= A <= weight_out.
  split; first by apply: sum_ge0 => t _; apply: Rmult_le_pos => //; case: (f01 t).
  by apply: sum_le => t _; have := w0 t; have := f01 t; nra.
have B01 : 0 <= B <= 1 - weight_out.
  rewrite -i1; split; first by apply: sum_ge0 => t _; apply: Rmult_le_pos => //; case: (f01 t).
  by apply: sum_le => t _; have := w0 t; have := f01 t; nra.
have r : 0 <= B / (1 - weight_out) <= 1.
  split; first by apply: Rmult_le_pos; [lra|left; apply: Rinv_0_lt_compat; lra].
  by apply: (Rmult_le_reg_r (1 - weight_out)); [lra|rewrite /Rdiv Rmult_assoc Rinv_l; lra].
have -> : A + B - B / (1 - weight_out) = A - weight_out * (B / (1 - weight_out)) by field; lra.
by apply: Rabs_le; nra.
Qed.
End Reach.

Section Level.
(** Rows [i] with the log-odds [l i]; a shift of [d] makes the sum of the probabilities right. *)
Variables (I : finType) (l : I -> R) (d positives : R).
Hypothesis rows : (0 < #|I|)%N.
Definition expit x := / (1 + exp (- x)).
Definition sum_at c := \rsum_i expit (l i + c).
Definition variance := / \rsum_i expit (l i) * (1 - expit (l i)).
Definition move := d * Rmax 0 (1 - variance / Rsqr d).

Lemma expit_range x : 0 < expit x < 1.
Proof.
have p := exp_pos (- x); split; first by apply: Rinv_0_lt_compat; lra.
by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
Qed.

Lemma expit_increasing x y : x < y -> expit x < expit y.
Proof.
move=> lt; have px := exp_pos (- x); have py := exp_pos (- y).
have e : exp (- y) < exp (- x) by apply: exp_increasing; lra.
by apply: Rinv_lt_contravar; [apply: Rmult_lt_0_compat; lra|lra].
Qed.

Lemma some_row : exists i : I, true.
Proof. by case/card_gt0P: rows => i _; exists i. Qed.

Lemma sum_at_increasing x y : x < y -> sum_at x < sum_at y.
Proof.
move=> lt; have [i _] := some_row.
have one j : expit (l j + x) < expit (l j + y) by apply: expit_increasing; lra.
rewrite /sum_at (bigD1 i) //= [X in _ < X](bigD1 i) //=.
have := one i; suff : \rsum_(j | j != i) expit (l j + x) <= \rsum_(j | j != i) expit (l j + y) by lra.
by apply: sum_le => j _; left.
Qed.

Lemma variance_pos : 0 < variance.
Proof.
have [i _] := some_row; apply: Rinv_0_lt_compat.
have p j : 0 < expit (l j) * (1 - expit (l j)).
  by have := expit_range (l j) => r; apply: Rmult_lt_0_compat; lra.
apply: Rlt_le_trans (p i) _.
apply: (sum_term (P := xpredT) (f := fun j => expit (l j) * (1 - expit (l j)))) => // j _.
by left; exact: p.
Qed.

(** label: prop-c40-level: after the move exactly one further shift [r] makes the sum right, and it is
    at most a standard error. *)
Theorem level_left : sum_at d = positives ->
  exists r, [/\ sum_at (move + r) = positives, (forall r', sum_at (move + r') = positives -> r' = r) &
             Rabs r <= sqrt variance].
Proof.
move=> right; have v0 := variance_pos; exists (d - move); split.
- by have -> : move + (d - move) = d by ring.
- move=> r' e; case: (Rtotal_order (move + r') d) => [lt|[eq|gt]]; last 2 first.
  + by rewrite -eq; ring.
  + by have := sum_at_increasing gt; rewrite e right; lra.
  by have := sum_at_increasing lt; rewrite e right; lra.
have s0 := sqrt_lt_R0 _ v0; have ss := sqrt_sqrt variance (Rlt_le _ _ v0).
case: (Req_dec d 0) => [d0|d0].
  by rewrite /move d0 Rmult_0_l Rminus_0_r Rabs_R0; lra.
have d2 : 0 < Rsqr d by exact: Rsqr_pos_lt.
have e : d * (variance / Rsqr d) = variance / d by rewrite /Rsqr; field.
rewrite /move; case: (Rle_dec (Rsqr d) variance) => [le|nle].
  rewrite Rmax_left; last first.
    have : 1 <= variance / Rsqr d; last by lra.
    by apply: (Rmult_le_reg_r (Rsqr d)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
  by rewrite Rmult_0_r Rminus_0_r -sqrt_Rsqr_abs; apply: sqrt_le_1_alt.
rewrite Rmax_right; last first.
  have : variance / Rsqr d <= 1; last by lra.
  by apply: (Rmult_le_reg_r (Rsqr d)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
have -> : d - d * (1 - variance / Rsqr d) = variance / d by rewrite -e; ring.
rewrite /Rdiv Rabs_mult (Rabs_pos_eq variance); last lra.
rewrite Rabs_Rinv //; have a0 := Rabs_pos_lt _ d0.
apply: (Rmult_le_reg_r (Rabs d)) => //; rewrite Rmult_assoc Rinv_l; last lra.
rewrite Rmult_1_r -{1}ss; apply: Rmult_le_compat_l; first lra.
by rewrite -sqrt_Rsqr_abs; apply: sqrt_le_1_alt; lra.
Qed.
End Level.
