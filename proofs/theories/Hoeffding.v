(** Hoeffding's inequality for labels, and what the book draws from it. *)
From Calibration Require Import Fin Grouping.
From Coq Require Import MVT.

(** One label less its mean: the mean of exp(x (z - p)) is at most exp(x^2 / 8).  The logarithm
    [g0] of the quotient has the derivative [g1], whose derivative 1/4 - tilt (1 - tilt) is not
    negative, and both are 0 at 0. *)
Section Lemma.
Variable p : R.
Hypothesis hp : 0 < p < 1.
Definition mgf x := 1 - p + p * exp x.
Definition tilt x := p * exp x / mgf x.
Definition g1 x := x / 4 + p - tilt x.
Definition g0 x := x * x / 8 + p * x - ln (mgf x).

Lemma mgf_pos x : 0 < mgf x.
Proof. by rewrite /mgf; have := exp_pos x; nra. Qed.

Lemma d_mgf x : derivable_pt_lim mgf x (p * exp x).
Proof.
have -> : p * exp x = 0 + p * exp x by ring.
apply: (derivable_pt_lim_plus (fct_cte (1 - p)) (mult_real_fct p exp)).
  exact: derivable_pt_lim_const.
exact: (derivable_pt_lim_scal exp p x _ (derivable_pt_lim_exp x)).
Qed.

Lemma d_tilt x : derivable_pt_lim tilt x (tilt x * (1 - tilt x)).
Proof.
have m := mgf_pos x.
have -> : tilt x * (1 - tilt x) = (p * exp x * mgf x - p * exp x * (p * exp x)) / Rsqr (mgf x).
  by rewrite /tilt /Rsqr; field; lra.
apply: (derivable_pt_lim_div (mult_real_fct p exp) mgf); last lra.
  exact: (derivable_pt_lim_scal exp p x _ (derivable_pt_lim_exp x)).
exact: d_mgf.
Qed.

Lemma d_g1 x : derivable_pt_lim g1 x (/ 4 - tilt x * (1 - tilt x)).
Proof.
apply: (derivable_pt_lim_minus (fun x => x / 4 + p) tilt); last exact: d_tilt.
have -> : / 4 = 1 * / 4 + 0 by ring.
apply: (derivable_pt_lim_plus (fun x => x / 4) (fct_cte p)); last exact: derivable_pt_lim_const.
have -> : 1 * / 4 = 1 * / 4 + x * 0 by ring.
apply: (derivable_pt_lim_mult id (fct_cte (/ 4))); first exact: derivable_pt_lim_id.
exact: derivable_pt_lim_const.
Qed.

Lemma d_g0 x : derivable_pt_lim g0 x (g1 x).
Proof.
have m := mgf_pos x.
have -> : g1 x = ((1 * x + x * 1) * / 8 + (x * x) * 0 + p * 1) - / mgf x * (p * exp x).
  by rewrite /g1 /tilt; field; lra.
apply: (derivable_pt_lim_minus (fun x => x * x / 8 + p * x) (fun x => ln (mgf x))).
  apply: (derivable_pt_lim_plus (fun x => x * x / 8) (fun x => p * x)).
    apply: (derivable_pt_lim_mult (fun x => x * x) (fct_cte (/ 8))); last exact: derivable_pt_lim_const.
    apply: (derivable_pt_lim_mult id id); exact: derivable_pt_lim_id.
  exact: (derivable_pt_lim_scal id p x _ (derivable_pt_lim_id x)).
apply: (derivable_pt_lim_comp mgf ln); first exact: d_mgf.
exact: derivable_pt_lim_ln.
Qed.

Lemma g1_sign x : (0 <= x -> 0 <= g1 x) /\ (x <= 0 -> g1 x <= 0).
Proof.
have z : g1 0 = 0 by rewrite /g1 /tilt /mgf exp_0; field; lra.
have inc c : 0 <= / 4 - tilt c * (1 - tilt c) by have := Rle_0_sqr (2 * tilt c - 1); rewrite /Rsqr; lra.
split; case=> [lt|e].
- have [c [e _]] := MVT_cor2 g1 _ 0 x lt (fun y _ => d_g1 y); have := inc c; rewrite z in e; nra.
- by rewrite -e z; lra.
- have [c [e _]] := MVT_cor2 g1 _ x 0 lt (fun y _ => d_g1 y); have := inc c; rewrite z in e; nra.
- by rewrite e z; lra.
Qed.

Lemma g0_ge0 x : 0 <= g0 x.
Proof.
have z : g0 0 = 0.
  rewrite /g0 /mgf exp_0; have -> : 1 - p + p * 1 = 1 by ring.
  by rewrite ln_1; field.
case: (Rtotal_order x 0) => [lt|[->|gt]]; last 1 first.
- have [c [e h]] := MVT_cor2 g0 _ 0 x gt (fun y _ => d_g0 y).
  have [s _] := g1_sign c; rewrite z in e; have := s (ltac:(lra)); nra.
- have [c [e h]] := MVT_cor2 g0 _ x 0 lt (fun y _ => d_g0 y).
  have [_ s] := g1_sign c; rewrite z in e; have := s (ltac:(lra)); nra.
- by rewrite z; lra.
Qed.

Lemma hoeffding_lemma x : p * exp (x * (1 - p)) + (1 - p) * exp (x * (0 - p)) <= exp (x * x / 8).
Proof.
have h : mgf x <= exp (x * x / 8 + p * x).
  rewrite -[X in X <= _](exp_ln _ (mgf_pos x)).
  by have := g0_ge0 x; rewrite /g0 => g; case: (Rle_lt_or_eq_dec (ln (mgf x)) (x * x / 8 + p * x));
    [lra|move=> lt; left; exact: exp_increasing|move=> ->; lra].
have e : exp (- (p * x)) * mgf x = p * exp (x * (1 - p)) + (1 - p) * exp (x * (0 - p)).
  rewrite /mgf; have -> : x * (1 - p) = - (p * x) + x by ring.
  have -> : x * (0 - p) = - (p * x) by ring.
  by rewrite exp_plus; ring.
rewrite -e; have -> : x * x / 8 = - (p * x) + (x * x / 8 + p * x) by ring.
rewrite exp_plus; apply: Rmult_le_compat_l => //; left; exact: exp_pos.
Qed.
End Lemma.

Lemma hoeffding_lemma01 p x : 0 <= p <= 1 ->
  p * exp (x * (1 - p)) + (1 - p) * exp (x * (0 - p)) <= exp (x * x / 8).
Proof.
move=> [p0 p1]; have e1 : 1 <= exp (x * x / 8).
  have := exp_ineq1_le (x * x / 8); have := Rle_0_sqr x; rewrite /Rsqr; lra.
case: p0 => [p0|<-]; last by rewrite !(Rminus_eq_0, Rmult_0_r, Rmult_0_l) exp_0; lra.
case: p1 => [p1|->]; last by rewrite !(Rminus_eq_0, Rmult_0_r, Rmult_0_l) exp_0; lra.
exact: hoeffding_lemma.
Qed.

Section Hoeffding.
(** Label [i] is 1 with probability [p i].  The labels of the set [A] are independent: means of
    products are products of means.  Nothing is assumed of other labels. *)
Variables (T : finType) (P : law T) (I : finType) (z : T -> I -> bool) (p : I -> R).
Definition independent_on (A : pred I) := forall f : I -> bool -> R,
  E P (fun t => \rprod_(i | A i) f i (z t i)) = \rprod_(i | A i) E P (fun t => f i (z t i)).
Hypothesis mean : forall i, E P (fun t => ind (z t i)) = p i.
Variable A : pred I.
Hypothesis independent : independent_on A.
Definition number := \rsum_(i | A i) 1.
Hypothesis some : 0 < number.
Definition observed t := (\rsum_(i | A i) ind (z t i)) / number.
Definition mean_p := (\rsum_(i | A i) p i) / number.

Lemma p_range i : 0 <= p i <= 1.
Proof.
rewrite -(mean i); split; first by apply: E_ge0 => t; case: (ind_range (z t i)).
by rewrite -[X in _ <= X](E_const P 1); apply: E_le => t; case: (ind_range (z t i)).
Qed.

Lemma prod_exp (a : I -> R) : \rprod_(i | A i) exp (a i) = exp (\rsum_(i | A i) a i).
Proof.
by apply: (big_ind2 (fun x y => x = exp y)) => [|x a' y b -> ->|//]; rewrite ?exp_0 ?exp_plus.
Qed.

Lemma prod_le (f g : I -> R) : (forall i, 0 <= f i <= g i) ->
  \rprod_(i | A i) f i <= \rprod_(i | A i) g i.
Proof.
move=> h; suff: 0 <= \rprod_(i | A i) f i <= \rprod_(i | A i) g i by case.
apply: (big_ind2 (fun x y => 0 <= x <= y)) => // [|x a y b [? ?] [? ?]]; first lra.
by split; [apply: Rmult_le_pos|apply: Rmult_le_compat].
Qed.

Lemma tail (s eps : R) : s * s = 1 -> 0 <= eps ->
  Pr P (fun t => leb eps (s * (observed t - mean_p))) <= exp (- (2 * number * (eps * eps))).
Proof.
move=> s2 eps0; have n0 := some; pose x := 4 * eps * s; set N := number in n0 *.
have x2 : x * x / 8 = 2 * (eps * eps).
  have -> : x * x / 8 = 2 * (eps * eps) * (s * s) by rewrite /x; field.
  by rewrite s2; ring.
pose c := exp (- (4 * (N * (eps * eps)))).
apply: Rle_trans (_ : E P (fun t => c * \rprod_(i | A i) exp (x * (ind (z t i) - p i))) <= _).
  apply: E_le => t; rewrite prod_exp sum_scal -exp_plus.
  have -> : \rsum_(i | A i) (ind (z t i) - p i) = N * (observed t - mean_p).
    by rewrite sum_sub /observed /mean_p -/N; field; lra.
  rewrite /c /ind; case: lebP => h; last by left; exact: exp_pos.
  have := exp_ineq1_le (- (4 * (N * (eps * eps))) + x * (N * (observed t - mean_p))).
  have : 0 <= N * (4 * eps) * (s * (observed t - mean_p) - eps).
    by apply: Rmult_le_pos; [apply: Rmult_le_pos|]; lra.
  by rewrite /x; lra.
rewrite E_scal (independent (fun i b => exp (x * (ind b - p i)))).
apply: Rle_trans (_ : c * exp (N * (2 * (eps * eps))) <= _); last first.
  by rewrite -exp_plus; right; congr exp; ring.
apply: Rmult_le_compat_l; first by left; exact: exp_pos.
apply: Rle_trans (prod_le (g := fun=> exp (2 * (eps * eps))) _) _ => [i|]; last first.
  rewrite prod_exp; right; congr exp; rewrite /N /number [RHS]Rmult_comm -sum_scal.
  by apply: eq_bigr => i _; ring.
have -> : E P (fun t => exp (x * (ind (z t i) - p i))) =
    p i * exp (x * (1 - p i)) + (1 - p i) * exp (x * (0 - p i)).
  have -> : E P (fun t => exp (x * (ind (z t i) - p i))) =
      E P (fun t => (exp (x * (1 - p i)) - exp (x * (0 - p i))) * ind (z t i) + exp (x * (0 - p i))).
    by apply: E_ext => t; rewrite /ind; case: (z t i); ring.
  by rewrite E_add E_const E_scal mean; ring.
split; last by rewrite -x2; exact: hoeffding_lemma01 (p_range i).
have := p_range i; have := exp_pos (x * (1 - p i)); have := exp_pos (x * (0 - p i)); nra.
Qed.

Theorem hoeffding eps : 0 <= eps ->
  Pr P (fun t => leb eps (Rabs (observed t - mean_p))) <= 2 * exp (- (2 * number * (eps * eps))).
Proof.
move=> h; have a := tail (s := 1) ltac:(lra) h; have b := tail (s := -1) ltac:(lra) h.
apply: Rle_trans (_ : Pr P (fun t => leb eps (1 * (observed t - mean_p))) +
                      Pr P (fun t => leb eps (-1 * (observed t - mean_p))) <= _); last lra.
rewrite /Pr -E_add; apply: E_le => t; rewrite /ind.
case: lebP => h1; case: lebP => h2; case: lebP => h3; try lra.
by move: h1; rewrite /Rabs; case: Rcase_abs; lra.
Qed.

(** With the radius that makes the bound a given number d. *)
Lemma hoeffding_radius d : 0 < d <= 2 ->
  Pr P (fun t => leb (sqrt (ln (2 / d) / (2 * number))) (Rabs (observed t - mean_p))) <= d.
Proof.
move=> hd; have n0 := some; set r := sqrt _.
have q : 1 <= 2 / d.
  by apply: (Rmult_le_reg_r d); [lra|rewrite /Rdiv Rmult_assoc Rinv_l; lra].
have l0 : 0 <= ln (2 / d).
  by rewrite -ln_1; case: q => [lt|<-]; [left; apply: ln_increasing; lra|lra].
have rr : r * r = ln (2 / d) / (2 * number).
  by rewrite sqrt_sqrt //; apply: Rmult_le_pos => //; left; apply: Rinv_0_lt_compat; lra.
apply: Rle_trans (hoeffding _) _; first exact: sqrt_pos.
rewrite rr; have -> : 2 * number * (ln (2 / d) / (2 * number)) = ln (2 / d) by field; lra.
by rewrite exp_Ropp exp_ln; [right; field; lra|lra].
Qed.
End Hoeffding.

Section Bins.
(** Calibration point [i] is in bin [g i]; its label is 1 with probability [p i].  Labels of points
    in one bin are independent; nothing is assumed of labels in different bins. *)
Variables (T : finType) (P : law T) (I B : finType) (z : T -> I -> bool) (p : I -> R) (g : I -> B).
Hypothesis mean : forall i, E P (fun t => ind (z t i)) = p i.
Hypothesis independent : forall k, independent_on P z (fun i => g i == k).
Definition count k := number (fun i => g i == k).
Hypothesis nonempty : forall k, 0 < count k.
Definition estimate t k := observed z (fun i => g i == k) t.
Definition mean_pi k := mean_p p (fun i => g i == k).
Variable delta : R.
Hypothesis hd : 0 < delta < 1.
Definition radius k := sqrt (ln (2 * INR #|B| / delta) / (2 * count k)).

(** label: prop-c3-given, first sentence: all bins at once, the mean of the p in the place of
    theta. *)
Theorem all_bins_given :
  1 - delta <= Pr P (fun t => [forall k, leb (Rabs (estimate t k - mean_pi k)) (radius k)]).
Proof.
have -> : Pr P (fun t => [forall k, leb (Rabs (estimate t k - mean_pi k)) (radius k)]) =
    1 - Pr P (fun t => [exists k, ~~ leb (Rabs (estimate t k - mean_pi k)) (radius k)]).
  by rewrite -Pr_not; apply: Pr_ext => t; rewrite negb_exists; apply: eq_forallb => k; rewrite negbK.
suff : Pr P (fun t => [exists k, ~~ leb (Rabs (estimate t k - mean_pi k)) (radius k)]) <= delta by lra.
apply: Rle_trans (Pr_exists P _) _; case: (posnP #|B|) => [b0|b0].
  by rewrite big1 => [|k]; [lra|have := card0_eq b0 k; rewrite inE].
have b1 : 1 <= INR #|B| by apply: (le_INR 1); apply/leP.
apply: Rle_trans (_ : \rsum_(k : B) (delta / INR #|B|) <= _); last first.
  by have := @sum_const B (delta / INR #|B|) => e; rewrite [X in X <= _]e mult_div; lra.
apply: sum_le => k _; pose d := delta / INR #|B|.
have d0 : 0 < d by apply: Rdiv_lt_0_compat; lra.
have dd : d <= 2.
  by apply: (Rmult_le_reg_r (INR #|B|)); [lra|rewrite /d /Rdiv Rmult_assoc Rinv_l; lra].
have := hoeffding_radius mean (@independent k) (nonempty k) (conj d0 dd).
have -> : 2 / d = 2 * INR #|B| / delta by rewrite /d; field; lra.
apply: Rle_trans; apply: Pr_le => t; case: lebP => // lt _; apply/lebP.
by left; exact: Rnot_le_lt.
Qed.

(** Now each bin has one probability [theta]. *)
Variable theta : B -> R.
Hypothesis same_bin : forall i, p i = theta (g i).

Lemma mean_pi_theta k : mean_pi k = theta k.
Proof.
have n0 := nonempty k; rewrite /mean_pi /mean_p -/(count k).
have -> : \rsum_(i | g i == k) p i = theta k * count k.
  by rewrite /count /number -sum_scal; apply: eq_bigr => i /eqP e; rewrite same_bin e; ring.
by field; lra.
Qed.

(** label: thm-c3-clean, all bins at once. *)
Theorem all_bins :
  1 - delta <= Pr P (fun t => [forall k, leb (Rabs (estimate t k - theta k)) (radius k)]).
Proof.
apply: Rle_trans all_bins_given _; apply: Pr_le => t /forallP h; apply/forallP => k.
by have := h k; rewrite mean_pi_theta.
Qed.

(** label: thm-c3-clean, the MCE of every grouping [h] of the bins, with [n0] points or more in each
    bin. *)
Theorem mce_bound (K : finType) (h : B -> K) (eta : B -> R) (n0 : R) :
  (forall k, 0 <= eta k) -> 0 < n0 -> (forall k, n0 <= count k) ->
  1 - delta <=
  Pr P (fun t => leb (MCE h eta theta (estimate t)) (sqrt (ln (2 * INR #|B| / delta) / (2 * n0)))).
Proof.
move=> eta0 n0_pos enough; apply: Rle_trans all_bins _; apply: Pr_le => t /forallP ok.
apply/lebP; apply: max_le => [|k]; first exact: sqrt_pos.
apply: gap_le => // [|i]; first exact: sqrt_pos.
move/lebP: (ok i) => le; apply: Rle_trans le _; apply: sqrt_le_1_alt.
have b1 : 1 <= INR #|B| by apply: (le_INR 1); apply/leP; apply/card_gt0P; exists i.
have q1 : 1 <= 2 * INR #|B| / delta.
  by apply: (Rmult_le_reg_r delta); [lra|rewrite /Rdiv Rmult_assoc Rinv_l; lra].
apply: Rmult_le_compat_l.
  by rewrite -ln_1; case: q1 => [lt|<-]; [left; apply: ln_increasing; lra|lra].
by apply: Rinv_le_contravar; have := enough i; lra.
Qed.
End Bins.

Section Chance.
(** Sets [A j] of objects, fixed in advance, that may overlap.  The bias of a set is shrunk by one
    pseudo-label that is as predicted. *)
Variables (T : finType) (P : law T) (I J : finType) (z : T -> I -> bool) (p : I -> R).
Variable A : J -> pred I.
Hypothesis mean : forall i, E P (fun t => ind (z t i)) = p i.
Hypothesis independent : forall j, independent_on P z (A j).
Hypothesis nonempty : forall j, 0 < number (A j).
Definition shrunk_bias t j :=
  number (A j) * (observed z (A j) t - mean_p p (A j)) / (number (A j) + 1).
Definition evidence t j := 2 * number (A j) * Rsqr (shrunk_bias t j).

(** label: thm-c36-chance, the scale of probabilities. *)
Theorem right_predictions_are_left_alone alpha : 0 < alpha < 1 ->
  Pr P (fun t => [exists j, leb (ln (2 * INR #|J| / alpha)) (evidence t j)]) <= alpha.
Proof.
move=> ha; apply: Rle_trans (Pr_exists P _) _; case: (posnP #|J|) => [b0|b0].
  by rewrite big1 => [|k]; [lra|have := card0_eq b0 k; rewrite inE].
have b1 : 1 <= INR #|J| by apply: (le_INR 1); apply/leP.
apply: Rle_trans (_ : \rsum_(j : J) (alpha / INR #|J|) <= _); last first.
  by have := @sum_const J (alpha / INR #|J|) => e; rewrite [X in X <= _]e mult_div; lra.
apply: sum_le => j _; pose d := alpha / INR #|J|; have n0 := nonempty j.
have d0 : 0 < d by apply: Rdiv_lt_0_compat; lra.
have dd : d <= 1.
  by apply: (Rmult_le_reg_r (INR #|J|)); [lra|rewrite /d /Rdiv Rmult_assoc Rinv_l; lra].
have := hoeffding_radius mean (@independent j) n0 (d := d) ltac:(lra).
have -> : 2 / d = 2 * INR #|J| / alpha by rewrite /d; field; lra.
apply: Rle_trans; apply: Pr_le => t /lebP le; apply/lebP.
set L := ln _ in le *; set N := number (A j) in n0 le *.
set b := observed z (A j) t - mean_p p (A j).
apply: Rle_trans (_ : sqrt (Rsqr b) <= _); last by rewrite sqrt_Rsqr_abs; lra.
apply: sqrt_le_1_alt; apply: (Rmult_le_reg_r (2 * N)); first lra.
have -> : L / (2 * N) * (2 * N) = L by field; lra.
apply: Rle_trans le _; rewrite /evidence /shrunk_bias -/N -/b.
have -> : N * b / (N + 1) = N / (N + 1) * b by field; lra.
rewrite Rsqr_mult; have f : Rsqr (N / (N + 1)) <= 1.
  have r : 0 <= N / (N + 1) <= 1.
    split; first by apply: Rmult_le_pos; [lra|left; apply: Rinv_0_lt_compat; lra].
    by apply: (Rmult_le_reg_r (N + 1)); [lra|rewrite /Rdiv Rmult_assoc Rinv_l; lra].
  by rewrite /Rsqr; nra.
have := Rsqr_ge0 b => b2; have m : Rsqr (N / (N + 1)) * Rsqr b <= 1 * Rsqr b by apply: Rmult_le_compat_r.
by have := Rmult_le_compat_l (2 * N) _ _ ltac:(lra) m; lra.
Qed.
End Chance.
