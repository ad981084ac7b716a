(** Grouped predictions: calibration errors never grow when groups are merged. *)
From Calibration Require Import Fin.

Section Grouping.
(** Bin [i] has the mass [eta i], the true frequency [theta i] and the estimate [est i], and goes to
    the output bin [g i].  Masses are real numbers and need not add up to 1. *)
Variables (I K : finType) (g : I -> K) (eta theta est : I -> R).
Hypothesis eta_ge0 : forall i, 0 <= eta i.

Definition share (k : K) := \rsum_(i | g i == k) eta i.
Definition observed (k : K) := (\rsum_(i | g i == k) eta i * theta i) / share k.
Definition predicted (k : K) := (\rsum_(i | g i == k) eta i * est i) / share k.
Definition gap (k : K) := Rabs (observed k - predicted k).
(** An output bin without mass has the gap 0: both its sums are 0, and 0 divided by 0 is 0 in
    Coq.  So it counts neither in the ECE nor in the MCE. *)
Definition MCE := \rmax_k gap k.
Definition ECE := \rsum_k share k * gap k.

Lemma share_ge0 k : 0 <= share k.
Proof. by apply: sum_ge0. Qed.

Lemma empty_zero k f : share k = 0 -> \rsum_(i | g i == k) eta i * f i = 0.
Proof.
move=> h; apply: big1 => i gi.
by rewrite (sum_zero _ h gi) ?Rmult_0_l.
Qed.

Lemma share_gap k : share k * gap k = Rabs (\rsum_(i | g i == k) eta i * (theta i - est i)).
Proof.
rewrite (eq_bigr (fun i => eta i * theta i - eta i * est i)); last by move=> i _; ring.
rewrite sum_sub /gap /observed /predicted.
case: (Req_dec (share k) 0) => [h|h].
  by rewrite !(empty_zero _ h) h !Rmult_0_l Rminus_0_r Rabs_R0.
have p : 0 < share k by have := share_ge0 k; lra.
rewrite -[X in X * _](Rabs_pos_eq (share k)); last lra.
by rewrite -Rabs_mult; congr Rabs; field.
Qed.

Lemma gap_le M : 0 <= M -> (forall i, Rabs (est i - theta i) <= M) -> forall k, gap k <= M.
Proof.
move=> M0 h k; case: (Req_dec (share k) 0) => [e|e].
  by rewrite /gap /observed /predicted !(empty_zero _ e) /Rdiv !Rmult_0_l Rminus_0_r Rabs_R0.
have p : 0 < share k by have := share_ge0 k; lra.
apply: (Rmult_le_reg_l (share k)) => //; rewrite share_gap Rmult_comm.
apply: Rle_trans (sum_abs _ _) _.
apply: Rle_trans (sum_weighted_le (w := eta) (f := fun i => Rabs (est i - theta i)) _ _) => //.
by apply: sum_le => i _; rewrite Rabs_mult (Rabs_pos_eq (eta i)) // Rabs_minus_sym; lra.
Qed.

(** label: lem-c3-grouping, first sentence. *)
Theorem MCE_le_max : MCE <= \rmax_i Rabs (est i - theta i).
Proof.
have h0 := max_ge0 (fun i => Rabs (est i - theta i)).
by apply: max_le => //; apply: gap_le => // i; exact: (max_ub (fun i => Rabs (est i - theta i))).
Qed.

(** label: lem-c4-finest, first sentence. *)
Theorem ECE_le_mean : ECE <= \rsum_i eta i * Rabs (est i - theta i).
Proof.
rewrite [X in _ <= X](partition_big g xpredT) //=; apply: sum_le => k _.
rewrite share_gap; apply: Rle_trans (sum_abs _ _) _; apply: sum_le => i _.
by rewrite Rabs_mult (Rabs_pos_eq (eta i)) // Rabs_minus_sym; lra.
Qed.

(** The mean of the gaps is at most the largest one. *)
Theorem ECE_le_MCE : \rsum_i eta i = 1 -> ECE <= MCE.
Proof.
move=> h; apply: Rle_trans (sum_weighted_le (w := share) (f := gap) _ _) _ => [k _|k _|].
- exact: share_ge0.
- exact: (max_ub gap).
- have <- : \rsum_i eta i = \rsum_k share k by rewrite (partition_big g xpredT).
  by rewrite h -/MCE; lra.
Qed.
End Grouping.

Section Merging.
(** The map [m] merges output bins [j : J] into [k : K]. *)
Variables (I J K : finType) (g : I -> J) (m : J -> K) (eta theta est : I -> R).
Hypothesis eta_ge0 : forall i, 0 <= eta i.
Local Notation mg := (fun i => m (g i)).

Lemma merge_sum (k : K) f :
  \rsum_(i | mg i == k) f i = \rsum_(j | m j == k) \rsum_(i | g i == j) f i.
Proof.
rewrite (partition_big g (fun j => m j == k)) //=.
by apply: eq_bigr => j /eqP mj; apply: eq_bigl => i; case: (g i =P j) => [->|_]; rewrite ?mj ?eqxx ?andbF.
Qed.

Lemma merge_share_gap k :
  share mg eta k * gap mg eta theta est k <=
  \rsum_(j | m j == k) share g eta j * gap g eta theta est j.
Proof.
rewrite share_gap // merge_sum; apply: Rle_trans (sum_abs _ _) _.
by apply: sum_le => j _; rewrite share_gap //; lra.
Qed.

(** label: lem-c4-finest, second sentence. *)
Theorem merging_ECE : ECE mg eta theta est <= ECE g eta theta est.
Proof.
rewrite [X in _ <= X](partition_big m xpredT) //=; apply: sum_le => k _.
exact: merge_share_gap.
Qed.

(** label: lem-c3-grouping, second sentence. *)
Theorem merging_MCE : MCE mg eta theta est <= MCE g eta theta est.
Proof.
apply: max_le => [|k]; first exact: max_ge0.
case: (Req_dec (share mg eta k) 0) => [e|e].
  rewrite /gap /observed /predicted !(empty_zero _ _ e) // /Rdiv !Rmult_0_l Rminus_0_r Rabs_R0.
  exact: max_ge0.
have p : 0 < share mg eta k by have := share_ge0 mg eta_ge0 k; lra.
apply: (Rmult_le_reg_l (share mg eta k)) => //; apply: Rle_trans (merge_share_gap k) _.
rewrite [X in _ <= X * _]/share merge_sum Rmult_comm; apply: sum_weighted_le => j _.
  exact: share_ge0.
exact: (max_ub (gap g eta theta est)).
Qed.
End Merging.

Section Objects.
(** Object [x] has the mass [m x], the true probability [pi x] and the prediction [p x]. *)
Variables (X : finType) (m pi p : X -> R).
Hypothesis m_ge0 : forall x, 0 <= m x.
Definition calibration_error := \rsum_x m x * Rabs (pi x - p x).

(** label: prop-c23-groups, both sentences: groups [r (g x)] that are unions of groups [g x]. *)
Theorem groups_hide_errors (G G' : finType) (g : X -> G) (r : G -> G') :
  ECE (fun x => r (g x)) m pi p <= ECE g m pi p <= calibration_error.
Proof.
split; first exact: merging_ECE.
rewrite /calibration_error (eq_bigr (fun x => m x * Rabs (p x - pi x))); first exact: ECE_le_mean.
by move=> x _; rewrite Rabs_minus_sym.
Qed.
End Objects.

(** label: prop-c4-jensen, for a prediction with finitely many values: value [v] has the mass [m v],
    is the number [p v], and is followed by a positive with probability [pi v]. *)
Theorem groups_of_predictions (V K : finType) (m pi p : V -> R) (g : V -> K) :
  (forall v, 0 <= m v) -> ECE g m pi p <= \rsum_v m v * Rabs (pi v - p v).
Proof. by move=> m0; case: (groups_hide_errors pi p m0 g (fun=> tt)). Qed.

Section Sample.
(** A sample: case [i] has the label [z i] and the prediction [p i], and is in the group [g i]. *)
Variables (I J K : finType) (z : I -> bool) (p : I -> R) (g : I -> J) (m : J -> K).
Local Notation n := (INR #|I|).
Definition sample_ECE (G : finType) (h : I -> G) := ECE h (fun=> / n) (fun i => ind (z i)) p.
Definition sample_MCE (G : finType) (h : I -> G) := MCE h (fun=> / n) (fun i => ind (z i)) p.

Lemma share_of_case : 0 <= / n.
Proof.
case: (Rle_lt_or_eq_dec _ _ (pos_INR #|I|)) => [lt|<-]; last by rewrite Rinv_0; lra.
by left; exact: Rinv_0_lt_compat.
Qed.

(** label: thm-refinement, first sentence: the groups [g] divide the groups [m (g i)] further. *)
Theorem refinement :
  sample_ECE (fun i => m (g i)) <= sample_ECE g /\ sample_MCE (fun i => m (g i)) <= sample_MCE g.
Proof.
by split; [apply: merging_ECE|apply: merging_MCE] => i; exact: share_of_case.
Qed.

(** label: thm-refinement, the two bounds. *)
Theorem refinement_bounds :
  / n * Rabs (\rsum_i (ind (z i) - p i)) <= sample_ECE g <= / n * \rsum_i Rabs (ind (z i) - p i).
Proof.
have n0 := share_of_case; split; last first.
  apply: Rle_trans (ECE_le_mean _ _ _ _) _ => [i|]; first exact: n0.
  by rewrite -sum_scal; apply: sum_le => i _; rewrite Rabs_minus_sym; lra.
have := merging_ECE g (fun=> tt) (fun i => ind (z i)) p (fun _ : I => n0).
suff -> : ECE (fun=> tt) (fun _ : I => / n) (fun i => ind (z i)) p =
  / n * Rabs (\rsum_i (ind (z i) - p i)) by [].
rewrite /ECE (eq_bigr (fun _ : unit => / n * Rabs (\rsum_i (ind (z i) - p i)))).
  by rewrite big_const card_unit /=; ring.
move=> [] _; rewrite share_gap // -[X in X * _](Rabs_pos_eq _ n0) -Rabs_mult -sum_scal.
by congr Rabs; apply: eq_big.
Qed.
End Sample.

Section Kuiper.
(** Predictions with finitely many values, in order: value [i] has the mass [m i], the true
    frequency [pi i] and is the number [p i].  The path of residuals has the increments
    [m i * (pi i - p i)], and the Kuiper error is its range: the largest size of the sum of the
    increments between two places. *)
Variables (n : nat) (m pi p : 'I_n -> R).
Hypothesis m_ge0 : forall i, 0 <= m i.
Definition stretch (a b : 'I_n.+1) :=
  \rsum_(i : 'I_n | (a <= i)%N && (i < b)%N) m i * (pi i - p i).
Definition kuiper := \rmax_(ab : 'I_n.+1 * 'I_n.+1) Rabs (stretch ab.1 ab.2).

(** label: thm-c33-kuiper, second inequality. *)
Theorem kuiper_le_ECE : kuiper <= \rsum_i m i * Rabs (pi i - p i).
Proof.
have s0 i : 0 <= m i * Rabs (pi i - p i) by apply: Rmult_le_pos => //; exact: Rabs_pos.
apply: max_le => [|[a b]] /=; first by apply: sum_ge0.
apply: Rle_trans (sum_abs _ _) _; rewrite big_mkcond; apply: sum_le => i _.
by case: ifP => _ //; rewrite Rabs_mult (Rabs_pos_eq (m i)) //; lra.
Qed.
End Kuiper.
