(** What rounding of scores can do to measures, of which the page "Any size, any engine" tells. *)
From Calibration Require Import Fin Scores Grouping Auc.

Section Rounding.
(** A sample with labels [z i], scores [p i] and rounded scores [q i], all in [0, 1], that are at most
    [delta] apart; [size] is the number of rows. *)
Variables (I : finType) (z : I -> bool) (p q : I -> R) (delta : R).
Hypotheses (p_range : forall i, 0 <= p i <= 1) (q_range : forall i, 0 <= q i <= 1)
  (near : forall i, Rabs (p i - q i) <= delta) (some_row : (0 < #|I|)%N).
Local Notation n := (INR #|I|).

Lemma mean_le (f : I -> R) M : (forall i, f i <= M) -> / n * \rsum_i f i <= M.
Proof.
move=> h; have n0 : 0 < n by apply: lt_0_INR; apply/ltP.
have -> : M = / n * (n * M) by rewrite -Rmult_assoc Rinv_l ?Rmult_1_l //; exact: Rgt_not_eq.
apply: Rmult_le_compat_l; first by left; exact: Rinv_0_lt_compat.
by rewrite -sum_const; apply: sum_le => i _; exact: h.
Qed.

(** The Brier score moves by at most 2 delta. *)
Theorem brier_of_rounded : Rabs (brier z p - brier z q) <= 2 * delta.
Proof.
have n0 : 0 < n by apply: lt_0_INR; apply/ltP.
have -> : brier z p - brier z q = / n * \rsum_i (Rsqr (p i - ind (z i)) - Rsqr (q i - ind (z i))).
  by rewrite sum_sub /brier /size; field; exact: Rgt_not_eq.
rewrite Rabs_mult Rabs_pos_eq; last by left; exact: Rinv_0_lt_compat.
apply: Rle_trans (_ : / n * \rsum_i Rabs (Rsqr (p i - ind (z i)) - Rsqr (q i - ind (z i))) <= _).
  by apply: Rmult_le_compat_l; [left; exact: Rinv_0_lt_compat|exact: sum_abs].
apply: mean_le => i; have d0 : 0 <= delta := Rle_trans _ _ _ (Rabs_pos _) (near i).
have -> : Rsqr (p i - ind (z i)) - Rsqr (q i - ind (z i)) =
  (p i - q i) * (p i + q i - 2 * ind (z i)) by rewrite /Rsqr; ring.
rewrite Rabs_mult Rmult_comm; apply: Rmult_le_compat => //; try exact: Rabs_pos.
by apply: Rabs_le; have := p_range i; have := q_range i; rewrite /ind; case: (z i); lra.
Qed.

(** The ECE moves by at most delta, if no row changes its group [g]. *)
Theorem ECE_of_rounded (K : finType) (g : I -> K) :
  Rabs (sample_ECE z p g - sample_ECE z q g) <= delta.
Proof.
have n0 : 0 < n by apply: lt_0_INR; apply/ltP.
have i0 : 0 <= / n by left; exact: Rinv_0_lt_compat.
have e x : sample_ECE z x g = \rsum_k Rabs (\rsum_(i | g i == k) / n * (ind (z i) - x i)).
  by apply: eq_bigr => k _; rewrite share_gap.
rewrite !e -sum_sub; apply: Rle_trans (sum_abs _ _) _.
apply: Rle_trans (_ : / n * \rsum_(i : I) delta <= _); last by apply: mean_le => i; lra.
rewrite (partition_big g xpredT) //= -sum_scal; apply: sum_le => k _.
apply: Rle_trans (Rabs_triang_inv2 _ _) _; rewrite -sum_sub -sum_scal.
apply: Rle_trans (sum_abs _ _) _; apply: sum_le => i _.
have -> : / n * (ind (z i) - p i) - / n * (ind (z i) - q i) = / n * (q i - p i) by ring.
by rewrite Rabs_mult Rabs_pos_eq // Rabs_minus_sym; apply: Rmult_le_compat_l.
Qed.
End Rounding.

Section Pairs.
(** Scores [p c] with the laws [f1] and [f0]; rounding ties some of them and turns no order round. *)
Variables (C : finType) (f1 f0 : C -> R) (p q : C -> R).
Hypotheses (f1_ge0 : forall c, 0 <= f1 c) (f0_ge0 : forall c, 0 <= f0 c).
Hypothesis order_kept : forall c d, p c < p d -> q c <= q d.
Hypothesis equal_kept : forall c d, p c = p d -> q c = q d.

(** The AUC moves by at most half the share of the pairs that are tied after rounding. *)
Theorem AUC_of_rounded : Rabs (AUC f1 f0 p - AUC f1 f0 q) <=
  / 2 * \rsum_c \rsum_d f1 c * f0 d * ind (eqb (q c) (q d)).
Proof.
rewrite /AUC -sum_sub -sum_scal; apply: Rle_trans (sum_abs _ _) _; apply: sum_le => c _.
rewrite -sum_sub -sum_scal; apply: Rle_trans (sum_abs _ _) _; apply: sum_le => d _.
rewrite -Rmult_minus_distr_l Rabs_mult Rabs_pos_eq; last exact: Rmult_le_pos.
have -> : / 2 * (f1 c * f0 d * ind (eqb (q c) (q d))) = f1 c * f0 d * (/ 2 * ind (eqb (q c) (q d))) by ring.
apply: Rmult_le_compat_l; first exact: Rmult_le_pos.
have a := order_kept (c := c) (d := d); have b := order_kept (c := d) (d := c).
have e := equal_kept (c := c) (d := d).
rewrite /credit /ind; case: (Rtotal_order (p c) (p d)) => [lt|[eq|lt]].
- by have := a lt; compare_all; rewrite /Rabs; compare_all; lra.
- by have := e eq; compare_all; rewrite /Rabs; compare_all; lra.
- by have := b lt; compare_all; rewrite /Rabs; compare_all; lra.
Qed.
End Pairs.
