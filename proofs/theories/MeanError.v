(** The mean error of bins: labels need only be uncorrelated. *)
From Calibration Require Import Fin Grouping.

Lemma sqrt_half x y : 0 <= x -> 0 <= y -> sqrt (x * y) <= (x + y) / 2.
Proof.
move=> x0 y0; rewrite -[X in _ <= X]sqrt_Rsqr; last lra.
by apply: sqrt_le_1_alt; have := Rsqr_ge0 (x - y); rewrite /Rsqr; lra.
Qed.

Section Labels.
(** Label [z t i] is 1 with probability [p i]; two different labels are uncorrelated. *)
Variables (T : finType) (P : law T) (I : finType) (z : T -> I -> bool) (p : I -> R).
Hypothesis mean : forall i, E P (fun t => ind (z t i)) = p i.
Hypothesis uncorrelated : forall i j, i != j ->
  E P (fun t => ind (z t i) * ind (z t j)) = p i * p j.

Lemma p_range i : 0 <= p i <= 1.
Proof.
rewrite -(mean i); split; first by apply: E_ge0 => t; case: (ind_range (z t i)).
by rewrite -[X in _ <= X](E_const P 1); apply: E_le => t; case: (ind_range (z t i)).
Qed.

(** The variance of a weighted sum. *)
Lemma variance (a : I -> R) :
  E P (fun t => Rsqr (\rsum_i a i * (ind (z t i) - p i))) = \rsum_i Rsqr (a i) * (p i * (1 - p i)).
Proof.
have -> : E P (fun t => Rsqr (\rsum_i a i * (ind (z t i) - p i))) =
    E P (fun t => \rsum_i \rsum_j a i * a j * ((ind (z t i) - p i) * (ind (z t j) - p j))).
  apply: E_ext => t; rewrite /Rsqr big_distrl; apply: eq_bigr => i _ /=.
  by rewrite big_distrr; apply: eq_bigr => j _ /=; ring.
rewrite E_sum; apply: eq_bigr => i _; rewrite E_sum (bigD1 i) //= big1 => [|j ji].
  rewrite E_scal; have -> : E P (fun t => (ind (z t i) - p i) * (ind (z t i) - p i)) = p i * (1 - p i).
    have -> : p i * (1 - p i) = (1 - 2 * p i) * E P (fun t => ind (z t i)) + E P (fun=> p i * p i).
      by rewrite mean E_const; ring.
    by rewrite -E_scal -E_add; apply: E_ext => t; rewrite /ind; case: (z t i); ring.
  by rewrite /Rsqr; ring.
rewrite E_scal; have -> : E P (fun t => (ind (z t i) - p i) * (ind (z t j) - p j)) = 0; last ring.
have -> : 0 = E P (fun t => ind (z t i) * ind (z t j)) +
    (- p j * E P (fun t => ind (z t i)) + (- p i * E P (fun t => ind (z t j)) + E P (fun=> p i * p j))).
  by rewrite uncorrelated 1?eq_sym // !mean E_const; ring.
by rewrite -!E_scal -!E_add; apply: E_ext => t; ring.
Qed.

(** The mean size of a sum of residuals over a set is at most its standard deviation. *)
Lemma mean_size (A : pred I) : E P (fun t => Rabs (\rsum_(i | A i) (ind (z t i) - p i))) <=
  sqrt (\rsum_(i | A i) p i * (1 - p i)).
Proof.
apply: Rle_trans (E_abs_le_sqrt P _) _; right; congr sqrt.
have -> : \rsum_(i | A i) p i * (1 - p i) = \rsum_i Rsqr (ind (A i)) * (p i * (1 - p i)).
  by rewrite sum_ind; apply: eq_bigr => i _; rewrite /ind /Rsqr; case: (A i); ring.
by rewrite -variance; apply: E_ext => t; rewrite sum_ind.
Qed.

Section Forecaster.
(** The predictions [p] of a perfect forecaster, and groups [g] that depend on them alone. *)
Variables (K : finType) (g : I -> K).
Hypothesis some_case : (0 < #|I|)%N.
Local Notation n := (INR #|I|).
Definition group_size k := \rsum_(i | g i == k) 1.
Definition group_sd k := sqrt (\rsum_(i | g i == k) p i * (1 - p i)).

Lemma n_pos : 0 < n. Proof. by apply: lt_0_INR; apply/ltP. Qed.

Lemma half_root (k : K) : group_sd k <= / 2 * sqrt (group_size k).
Proof.
have s4 : sqrt 4 = 2 by rewrite -[RHS](sqrt_square 2); [congr sqrt; ring|lra].
have g0 : 0 <= group_size k by apply: sum_ge0 => i _; lra.
have -> : / 2 * sqrt (group_size k) = sqrt (/ 4 * group_size k).
  by rewrite sqrt_mult ?sqrt_inv ?s4 //; lra.
apply: sqrt_le_1_alt; rewrite /group_size -sum_scal; apply: sum_le => i _.
by have := Rsqr_ge0 (2 * p i - 1); rewrite /Rsqr; lra.
Qed.

Lemma sum_roots : \rsum_k sqrt (group_size k) <= sqrt (INR #|K| * n).
Proof.
have g0 k : 0 <= group_size k by apply: sum_ge0 => i _; lra.
have tot : \rsum_k group_size k = n.
  by rewrite -[RHS]Rmult_1_r -sum_const (partition_big g xpredT).
case: (posnP #|K|) => [k0|kp].
  by rewrite big1 => [|k]; [exact: sqrt_pos|have := card0_eq k0 k; rewrite inE].
have K0 : 0 < INR #|K| by apply: lt_0_INR; apply/ltP.
set c := INR #|K| in K0 *; set s := \rsum_k _.
have s0 : 0 <= s by apply: sum_ge0 => k _; exact: sqrt_pos.
rewrite -(sqrt_Rsqr s) //; apply: sqrt_le_1_alt.
have c1 : \rsum_(k : K) / c = 1.
  by have := sum_const K (/ c) => e; rewrite [LHS]e -/c; exact: Rinv_r (Rgt_not_eq _ _ K0).
have := mean_sqr (w := fun=> / c) (fun k => sqrt (group_size k))
  (fun=> Rlt_le _ _ (Rinv_0_lt_compat _ K0)) c1.
rewrite !sum_scal -/s; have -> : \rsum_k Rsqr (sqrt (group_size k)) = n.
  by rewrite -tot; apply: eq_bigr => k _; rewrite Rsqr_sqrt.
rewrite Rsqr_mult => h; have := Rmult_le_compat_l (c * c) _ _ ltac:(nra) h.
have -> : c * c * (Rsqr (/ c) * Rsqr s) = Rsqr s by rewrite /Rsqr; field; lra.
by have -> : c * c * (/ c * n) = c * n by field; lra.
Qed.

(** label: thm-bias, the two bounds; labels need only be uncorrelated.  Here [group_sd k] is the size
    of the group times the sigma of the book. *)
Theorem perfect_forecaster :
  E P (fun t => sample_ECE (z t) p g) <= / n * \rsum_k group_sd k /\
  / n * \rsum_k group_sd k <= / 2 * sqrt (INR #|K| / n).
Proof.
have n0 := n_pos; have i0 := Rinv_0_lt_compat _ n0; split.
  rewrite /sample_ECE /ECE E_sum -sum_scal; apply: sum_le => k _.
  apply: Rle_trans (Rmult_le_compat_l _ _ _ (Rlt_le _ _ i0) (mean_size (fun i => g i == k))).
  rewrite -E_scal; apply: E_le => t; rewrite share_gap => [|i]; last by left.
  by rewrite sum_scal Rabs_mult (Rabs_pos_eq (/ n)); lra.
apply: Rle_trans (_ : / n * (/ 2 * sqrt (INR #|K| * n)) <= _).
  apply: Rmult_le_compat_l; first by left.
  apply: Rle_trans (_ : \rsum_k / 2 * sqrt (group_size k) <= _); first by apply: sum_le => k _; exact: half_root.
  by rewrite sum_scal; apply: Rmult_le_compat_l; [lra|exact: sum_roots].
right; have -> : INR #|K| * n = INR #|K| / n * Rsqr n by rewrite /Rsqr; field; apply: Rgt_not_eq.
rewrite sqrt_mult ?sqrt_Rsqr; try by left.
- by field; apply: Rgt_not_eq.
- by apply: Rmult_le_pos; [exact: pos_INR|left].
- exact: Rsqr_ge0.
Qed.

(** label: prop-c4-given, the mean: [p i] is the true probability at the score of point [i]. *)
Theorem mean_error_given :
  E P (fun t => \rsum_k group_size k / n *
    Rabs ((\rsum_(i | g i == k) ind (z t i)) / group_size k
          - (\rsum_(i | g i == k) p i) / group_size k)) <= / 2 * sqrt (INR #|K| / n).
Proof.
have [a b] := perfect_forecaster; apply: Rle_trans b; apply: Rle_trans a.
have n0 := n_pos; have i0 := Rinv_0_lt_compat _ n0; apply: E_le => t; apply: sum_le => k _.
rewrite share_gap => [|i]; last by left.
have g0 : 0 <= group_size k by apply: sum_ge0 => i _; lra.
rewrite sum_scal sum_sub Rabs_mult (Rabs_pos_eq (/ n)); last by left.
case: g0 => [gp|e]; last first.
  by rewrite -e /Rdiv !Rmult_0_l; apply: Rmult_le_pos; [left|exact: Rabs_pos].
right; rewrite -Rmult_minus_distr_r Rabs_mult (Rabs_pos_eq (/ group_size k)).
  by field; split; apply: Rgt_not_eq.
by left; exact: Rinv_0_lt_compat.
Qed.
End Forecaster.

(** Two bins, or any number: forecasts [q] and bins [g] that are fixed in advance.  The mean of the
    squared sums of residuals is a variance that no forecast changes, and the squared biases; so it
    is smallest for forecasts that are right in each bin. *)
Theorem bins_truthful (K : finType) (g : I -> K) (q : I -> R) :
  E P (fun t => \rsum_k Rsqr (\rsum_(i | g i == k) (ind (z t i) - q i))) =
  \rsum_i p i * (1 - p i) + \rsum_k Rsqr (\rsum_(i | g i == k) (p i - q i)).
Proof.
rewrite E_sum [X in _ = X + _](partition_big g xpredT) //= -big_split; apply: eq_bigr => k _ /=.
set b := \rsum_(i | g i == k) (p i - q i).
pose a i := ind (g i == k).
pose D t := \rsum_i a i * (ind (z t i) - p i).
have e t : \rsum_(i | g i == k) (ind (z t i) - q i) = D t + b.
  rewrite /D /b [X in _ = _ + X]sum_ind [LHS]sum_ind -big_split; apply: eq_bigr => i _ /=.
  by rewrite /a; ring.
have D0 : E P D = 0.
  by rewrite /D E_sum big1 // => i _; rewrite E_scal E_sub mean E_const; ring.
have -> : E P (fun t => Rsqr (\rsum_(i | g i == k) (ind (z t i) - q i))) =
    E P (fun t => Rsqr (D t) + (2 * b * D t + Rsqr b)).
  by apply: E_ext => t; rewrite e /Rsqr; ring.
rewrite !E_add E_scal D0 E_const variance Rmult_0_r Rplus_0_l; congr (_ + _).
rewrite [RHS]sum_ind; apply: eq_bigr => i _; rewrite /a /ind /Rsqr; by case: eqP => _; ring.
Qed.

Section FixedBins.
(** Bin [k] has the mass [eta k] and holds the calibration points [i] with [g i = k], each of which
    is positive with probability [theta k]. *)
Variables (B : finType) (g : I -> B) (eta theta : B -> R) (n0 : R).
Hypotheses (eta_ge0 : forall k, 0 <= eta k) (eta_sum : \rsum_k eta k = 1).
Hypothesis same_bin : forall i, p i = theta (g i).
Definition points k := \rsum_(i | g i == k) 1.
Hypotheses (n0_pos : 0 < n0) (enough : forall k, n0 <= points k).
Definition estimate t k := (\rsum_(i | g i == k) ind (z t i)) / points k.
Definition mean_true := \rsum_k eta k * theta k.

Lemma theta_range k : 0 <= theta k <= 1.
Proof.
case: (pickP (fun i => g i == k)) => [i /eqP <-|no]; first by rewrite -same_bin; exact: p_range.
by have := enough k; rewrite /points big_pred0 //; lra.
Qed.

Lemma mean_error_bin k :
  E P (fun t => Rabs (estimate t k - theta k)) <= sqrt (theta k * (1 - theta k) / n0).
Proof.
have N0 : 0 < points k by have := enough k; lra.
have e t : Rabs (estimate t k - theta k) = / points k * Rabs (\rsum_(i | g i == k) (ind (z t i) - p i)).
  have -> : \rsum_(i | g i == k) (ind (z t i) - p i) = \rsum_(i | g i == k) ind (z t i) - theta k * points k.
    by rewrite /points -sum_scal -sum_sub; apply: eq_bigr => i /eqP h; rewrite same_bin h; ring.
  rewrite -[X in X * _]Rabs_pos_eq; last by left; exact: Rinv_0_lt_compat.
  by rewrite -Rabs_mult; congr Rabs; rewrite /estimate; field; lra.
rewrite (E_ext _ e) E_scal; apply: Rle_trans (Rmult_le_compat_l _ _ _ _ (mean_size _)) _.
  by left; exact: Rinv_0_lt_compat.
have -> : \rsum_(i | g i == k) p i * (1 - p i) = theta k * (1 - theta k) / points k * Rsqr (points k).
  have -> : theta k * (1 - theta k) / points k * Rsqr (points k) = theta k * (1 - theta k) * points k.
    by rewrite /Rsqr; field; lra.
  by rewrite -sum_scal; apply: eq_bigr => i /eqP h; rewrite same_bin h; ring.
have [t0 t1] := theta_range k; have v0 : 0 <= theta k * (1 - theta k) by nra.
rewrite sqrt_mult ?sqrt_Rsqr; first last.
- exact: Rsqr_ge0.
- by apply: Rmult_le_pos => //; left; exact: Rinv_0_lt_compat.
- by left.
have -> : / points k * (sqrt (theta k * (1 - theta k) / points k) * points k) =
  sqrt (theta k * (1 - theta k) / points k) by field; lra.
by apply: sqrt_le_1_alt; apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar.
Qed.

(** label: thm-c4-clean, both bounds, for the ECE of every grouping [h] of the bins; labels need only
    be uncorrelated. *)
Theorem mean_ECE (K : finType) (h : B -> K) :
  E P (fun t => ECE h eta theta (estimate t))
    <= sqrt (mean_true * (1 - mean_true) / n0) <= / (2 * sqrt n0).
Proof.
have sq x : 0 <= x <= 1 -> 0 <= x * (1 - x) / n0.
  by move=> hx; apply: Rmult_le_pos; [nra|left; exact: Rinv_0_lt_compat].
split.
  apply: Rle_trans (_ : E P (fun t => \rsum_k eta k * Rabs (estimate t k - theta k)) <= _).
    by apply: E_le => t; exact: ECE_le_mean.
  rewrite E_sum; apply: Rle_trans (_ : \rsum_k eta k * sqrt (theta k * (1 - theta k) / n0) <= _).
    by apply: sum_le => k _; rewrite E_scal; apply: Rmult_le_compat_l => //; exact: mean_error_bin.
  set S := \rsum_k _.
  have S0 : 0 <= S by apply: sum_ge0 => k _; apply: Rmult_le_pos => //; exact: sqrt_pos.
  rewrite -(sqrt_Rsqr S) //; apply: sqrt_le_1_alt.
  apply: Rle_trans (mean_sqr _ eta_ge0 eta_sum) _.
  have -> : \rsum_k eta k * Rsqr (sqrt (theta k * (1 - theta k) / n0)) =
            (mean_true - \rsum_k eta k * Rsqr (theta k)) / n0.
    rewrite /mean_true -sum_sub /Rdiv big_distrl; apply: eq_bigr => k _ /=.
    by rewrite Rsqr_sqrt; [rewrite /Rsqr; field; lra|exact: sq (theta_range k)].
  apply: Rmult_le_compat_r; first by left; exact: Rinv_0_lt_compat.
  by have := mean_sqr theta eta_ge0 eta_sum; rewrite -/mean_true /Rsqr; lra.
have -> : / (2 * sqrt n0) = sqrt (/ (4 * n0)).
  have e4 : sqrt 4 = 2 by rewrite -[RHS](sqrt_square 2); [congr sqrt; ring|lra].
  by rewrite sqrt_inv sqrt_mult ?e4 //; lra.
apply: sqrt_le_1_alt; rewrite Rinv_mult Rmult_comm; apply: Rmult_le_compat_r.
  by left; exact: Rinv_0_lt_compat.
by have := Rsqr_ge0 (2 * mean_true - 1); rewrite /Rsqr; lra.
Qed.
End FixedBins.
End Labels.
