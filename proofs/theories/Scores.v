(** Proper scores, and the decompositions of a score. *)
From Calibration Require Import Fin.

(** The tangent of the logarithm at x lies above it, and meets it only at x. *)
Lemma ln_tangent x y : 0 < x -> 0 < y -> ln y <= ln x + (y - x) / x.
Proof.
move=> hx hy; have h : 0 < y / x by apply: Rdiv_lt_0_compat.
have -> : y = x * (y / x) by field; lra.
rewrite ln_mult //; have := exp_ineq1_le (ln (y / x)); rewrite exp_ln //.
have -> : (x * (y / x) - x) / x = y / x - 1 by field; lra.
lra.
Qed.

Lemma ln_tangent_lt x y : 0 < x -> 0 < y -> x <> y -> ln y < ln x + (y - x) / x.
Proof.
move=> hx hy ne; have h : 0 < y / x by apply: Rdiv_lt_0_compat.
have e : y = x * (y / x) by field; lra.
have l : ln (y / x) <> 0.
  move=> l0; apply: ne; rewrite e; have -> : y / x = 1 by rewrite -[LHS]exp_ln // l0 exp_0.
  by ring.
have := exp_ineq1 _ l; rewrite exp_ln // => lt.
rewrite {1}e ln_mult //; have -> : (y - x) / x = y / x - 1 by field; lra.
lra.
Qed.

Definition loss_brier (b : bool) (p : R) := Rsqr (ind b - p).
Definition loss_log (b : bool) (p : R) := - ln (if b then p else 1 - p).
(** The expected loss of the prediction p of a label that is 1 with probability q. *)
Definition expected (loss : bool -> R -> R) (q p : R) := q * loss true p + (1 - q) * loss false p.

(** Coq has [ln 0 = 0], so that terms [0 * ln 0] are 0, as they are in the book. *)
Definition divergence (q p : R) := q * (ln q - ln p) + (1 - q) * (ln (1 - q) - ln (1 - p)).

(** label: thm-proper, the Brier score. *)
Theorem brier_proper q p : expected loss_brier q p - expected loss_brier q q = Rsqr (p - q).
Proof. by rewrite /expected /loss_brier /ind /Rsqr; ring. Qed.

Lemma divergence_is_excess q p : expected loss_log q p - expected loss_log q q = divergence q p.
Proof. by rewrite /expected /loss_log /divergence; ring. Qed.

Lemma half_divergence x y : 0 <= x -> 0 < y -> x - y <= x * (ln x - ln y).
Proof.
move=> [x0|<-] y0; last lra.
have t := ln_tangent x0 y0; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ x0) t.
have -> : x * (ln x + (y - x) / x) = x * ln x + (y - x) by field; lra.
lra.
Qed.

Lemma half_divergence_lt x y : 0 <= x -> 0 < y -> x <> y -> x - y < x * (ln x - ln y).
Proof.
move=> [x0|<-] y0 ne; last lra.
have t := ln_tangent_lt x0 y0 ne; have := Rmult_lt_compat_l _ _ _ x0 t.
have -> : x * (ln x + (y - x) / x) = x * ln x + (y - x) by field; lra.
lra.
Qed.

Lemma divergence_ge0 q p : 0 <= q <= 1 -> 0 < p < 1 -> 0 <= divergence q p.
Proof.
move=> hq hp; have a := half_divergence (x := q) (y := p); have b := half_divergence (x := 1 - q) (y := 1 - p).
by have := a ltac:(lra) ltac:(lra); have := b ltac:(lra) ltac:(lra); rewrite /divergence; lra.
Qed.

(** label: thm-proper, log loss: probabilities q in [0, 1], predictions p inside (0, 1). *)
Theorem log_loss_proper q p : 0 <= q <= 1 -> 0 < p < 1 ->
  expected loss_log q p - expected loss_log q q = divergence q p /\
  (p <> q -> 0 < divergence q p).
Proof.
move=> hq hp; split; first exact: divergence_is_excess.
move=> ne; have a := half_divergence_lt (x := q) (y := p).
have b := half_divergence_lt (x := 1 - q) (y := 1 - p).
have := a ltac:(lra) ltac:(lra) ltac:(lra); have := b ltac:(lra) ltac:(lra) ltac:(lra).
by rewrite /divergence; lra.
Qed.

Section Cells.
(** Cells [c] with masses [m c] that add up to 1, the probability [pi c] of a positive, and a
    prediction [T c] inside (0, 1). *)
Variables (C : finType) (m pi T : C -> R).
Hypotheses (m_ge0 : forall c, 0 <= m c) (pi_range : forall c, 0 <= pi c <= 1)
  (T_range : forall c, 0 < T c < 1).
Definition risk (loss : bool -> R -> R) (p : C -> R) := \rsum_c m c * expected loss (pi c) (p c).

(** label: thm-c23-log-loss, predictions inside (0, 1): the excess, and when it is 0. *)
Theorem log_loss_of_cells :
  risk loss_log T - risk loss_log pi = \rsum_c m c * divergence (pi c) (T c) /\
  risk loss_log pi <= risk loss_log T /\
  (risk loss_log T = risk loss_log pi -> forall c, 0 < m c -> T c = pi c).
Proof.
have e : risk loss_log T - risk loss_log pi = \rsum_c m c * divergence (pi c) (T c).
  by rewrite /risk -sum_sub; apply: eq_bigr => c _; rewrite -divergence_is_excess; ring.
have d0 c : 0 <= m c * divergence (pi c) (T c) by apply: Rmult_le_pos => //; exact: divergence_ge0.
split=> //; split; first by have := sum_ge0 (P := xpredT) (fun c _ => d0 c); lra.
move=> eq c mc; have z : \rsum_c m c * divergence (pi c) (T c) = 0 by lra.
have := sum_zero (P := xpredT) (fun c _ => d0 c) z (i := c) isT.
case: (Req_dec (T c) (pi c)) => // ne; have [_ lt] := log_loss_proper (pi_range c) (T_range c).
by have := Rmult_lt_0_compat _ _ mc (lt ne); lra.
Qed.
End Cells.

Section Murphy.
(** Case [i] has the label [z i] and the prediction [e (g i)], where [g i] is its group.  Different
    groups may have equal predictions, and groups may be empty. *)
Variables (I K : finType) (g : I -> K) (e : K -> R) (z : I -> bool).
Hypothesis some_case : (0 < #|I|)%N.

Definition size := INR #|I|.
Definition count (k : K) := \rsum_(i | g i == k) 1.
Definition frequency (k : K) := (\rsum_(i | g i == k) ind (z i)) / count k.
Definition base_rate := (\rsum_i ind (z i)) / size.
Definition brier (p : I -> R) := (\rsum_i Rsqr (p i - ind (z i))) / size.
Definition reliability := \rsum_k count k / size * Rsqr (e k - frequency k).
Definition resolution := \rsum_k count k / size * Rsqr (frequency k - base_rate).
Definition uncertainty := base_rate * (1 - base_rate).

Lemma size_pos : 0 < size.
Proof. by apply: lt_0_INR; apply/ltP. Qed.

Lemma count_positives k : count k * frequency k = \rsum_(i | g i == k) ind (z i).
Proof.
case: (Req_dec (count k) 0) => [h|h]; last by rewrite /frequency; field.
rewrite h Rmult_0_l big1 // => i gi.
by have := sum_zero (f := fun=> 1) (fun _ _ => Rle_0_1) h gi; lra.
Qed.

Lemma sum_counts : \rsum_k count k = size.
Proof. by rewrite /size -[INR _]Rmult_1_r -sum_const (partition_big g xpredT). Qed.

Lemma sum_positives : \rsum_k count k * frequency k = size * base_rate.
Proof.
have n0 := size_pos; rewrite /base_rate.
have -> : size * ((\rsum_i ind (z i)) / size) = \rsum_i ind (z i) by field; lra.
by rewrite [RHS](partition_big g xpredT) //=; apply: eq_bigr => k _; exact: count_positives.
Qed.

(** label: thm-murphy, with one prediction for each group; equal predictions may be in several
    groups. *)
Theorem murphy : brier (fun i => e (g i)) = reliability - resolution + uncertainty.
Proof.
have n0 := size_pos; have tot := sum_counts; have pos := sum_positives.
have group : \rsum_i Rsqr (e (g i) - ind (z i)) =
    \rsum_k (count k * Rsqr (e k) - 2 * e k * (count k * frequency k) + count k * frequency k).
  rewrite (partition_big g xpredT) //=; apply: eq_bigr => k _; rewrite !count_positives.
  have -> : count k * Rsqr (e k) = \rsum_(i | g i == k) Rsqr (e k) * 1.
    by rewrite sum_scal Rmult_comm.
  rewrite -sum_scal -sum_sub -big_split; apply: eq_bigr => i /eqP -> /=.
  by rewrite /ind /Rsqr; case: (z i); ring.
apply: (Rmult_eq_reg_l size); last lra.
have -> : size * brier (fun i => e (g i)) = \rsum_i Rsqr (e (g i) - ind (z i)).
  by rewrite /brier; field; lra.
have unc : size * uncertainty = \rsum_k (count k * frequency k
    + (- 2 * base_rate) * (count k * frequency k) + Rsqr base_rate * count k).
  by rewrite !big_split /= !sum_scal tot pos /uncertainty /Rsqr; ring.
rewrite Rmult_plus_distr_l Rmult_minus_distr_l unc /reliability /resolution -!sum_scal -sum_sub.
rewrite -big_split group; apply: eq_bigr => k _ /=.
by rewrite /Rsqr; field; lra.
Qed.
End Murphy.

Section Elementary.
(** A sample with labels [z i]; an action is taken where the prediction is above the threshold. *)
Variables (I : finType) (z : I -> bool).
Hypothesis some_case : (0 < #|I|)%N.
Definition elementary (t : R) (p : R) (b : bool) : R :=
  if b then (if ltb t p then 0 else 1 - t) else (if ltb t p then t else 0).
Definition mean_score (t : R) (p : I -> R) := (\rsum_i elementary t (p i) (z i)) / size I.
(** True alarms less false alarms, the latter weighted by the odds of the threshold, per case. *)
Definition net_benefit (t : R) (p : I -> R) :=
  (\rsum_i ind (z i) * ind (ltb t (p i))) / size I
  - (\rsum_i ind (~~ z i) * ind (ltb t (p i))) / size I * (t / (1 - t)).

(** label: thm-c30-benefit, the equation for samples. *)
Theorem net_benefit_is_affine t p : t < 1 ->
  net_benefit t p = base_rate z - mean_score t p / (1 - t).
Proof.
move=> t1; have n0 := size_pos some_case; rewrite /net_benefit /base_rate /mean_score.
set A := \rsum_i ind (z i) * _; set B := \rsum_i ind (~~ z i) * _; set Z := \rsum_i ind (z i).
have -> : \rsum_i elementary t (p i) (z i) = (1 - t) * Z - (1 - t) * A + t * B.
  rewrite /Z /A /B -!sum_scal -sum_sub -big_split; apply: eq_bigr => i _ /=.
  by rewrite /elementary /ind; case: (z i); case: ifP => _ /=; ring.
by field; lra.
Qed.
End Elementary.

Section Populations.
(** A finite population: [w] is drawn with the law [P] and has the label [z w]. *)
Variables (W : finType) (P : law W) (z : W -> bool).
Definition calibrated (p : W -> R) :=
  forall h : R -> R, E P (fun w => (ind (z w) - p w) * h (p w)) = 0.
Definition mean_elementary t (p : W -> R) := E P (fun w => elementary t (p w) (z w)).
Definition positive_part (x : R) := if leb 0 x then x else 0.

Lemma elementary_alarm t p b :
  elementary t p b = (1 - t) * ind b - (ind b - t) * ind (ltb t p).
Proof. by rewrite /elementary /ind; case: b; case: ifP => _; ring. Qed.

(** So the condition of the book holds for every value that occurs. *)
Theorem calibrated_conditional p a : calibrated p -> 0 < Pr P (fun w => eqb (p w) a) ->
  Pr P (fun w => z w && eqb (p w) a) / Pr P (fun w => eqb (p w) a) = a.
Proof.
move=> cal pos; have := cal (fun x => ind (eqb x a)).
have -> : E P (fun w => (ind (z w) - p w) * ind (eqb (p w) a)) =
   E P (fun w => ind (z w && eqb (p w) a) - a * ind (eqb (p w) a)).
  by apply: E_ext => w; case: eqbP => [->|_]; rewrite ?andbT ?andbF /ind; ring.
rewrite E_sub E_scal -/(Pr P _) -/(Pr P _) => h.
have -> : Pr P (fun w => z w && eqb (p w) a) = a * Pr P (fun w => eqb (p w) a) by rewrite /Pr in h *; lra.
by field; lra.
Qed.

Section Score.
Variables (Y : finType) (y : W -> Y).
Definition truth (s : Y) := Pr P (fun w => z w && (y w == s)) / Pr P (fun w => y w == s).

Lemma truth_range s : 0 <= truth s <= 1.
Proof.
have [a0 _] := Pr_range P (fun w => z w && (y w == s)).
have le : Pr P (fun w => z w && (y w == s)) <= Pr P (fun w => y w == s) by apply: Pr_le => w /andP[].
rewrite /truth; case: (Rle_lt_or_eq_dec _ _ (proj1 (Pr_range P (fun w => y w == s)))) => [p|<-].
  split; first by apply: Rmult_le_pos => //; left; exact: Rinv_0_lt_compat.
  by apply: (Rmult_le_reg_r (Pr P (fun w => y w == s))) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
by rewrite /Rdiv Rinv_0; lra.
Qed.

Lemma truth_residual s : E P (fun w => (ind (z w) - truth s) * ind (y w == s)) = 0.
Proof.
have -> : E P (fun w => (ind (z w) - truth s) * ind (y w == s)) =
    E P (fun w => ind (z w && (y w == s)) - truth s * ind (y w == s)).
  by apply: E_ext => w; case: (y w == s); rewrite ?andbT ?andbF /ind; ring.
rewrite E_sub E_scal -/(Pr P _) -/(Pr P (fun w => y w == s)).
case: (Req_dec (Pr P (fun w => y w == s)) 0) => [e|ne]; last by rewrite /truth; field.
have le : Pr P (fun w => z w && (y w == s)) <= Pr P (fun w => y w == s).
  by apply: Pr_le => w /andP[].
by have [ge _] := Pr_range P (fun w => z w && (y w == s)); rewrite e in le *; lra.
Qed.

(** label: thm-pi-is-calibrated, for a score with finitely many values. *)
Theorem truth_is_calibrated : calibrated (fun w => truth (y w)).
Proof.
move=> h; have -> : E P (fun w => (ind (z w) - truth (y w)) * h (truth (y w))) =
    \rsum_s h (truth s) * E P (fun w => (ind (z w) - truth s) * ind (y w == s)).
  under [RHS]eq_bigr => s _ do rewrite -E_scal.
  rewrite -E_sum; apply: E_ext => w; rewrite (bigD1 (y w)) //= big1 => [|s ne].
    by rewrite eqxx /ind; ring.
  by rewrite eq_sym (negbTE ne) /ind; ring.
by apply: big1 => s _; rewrite truth_residual; ring.
Qed.
End Score.

(** label: thm-c30-benefit, the mean elementary score of a calibrated prediction. *)
Theorem calibrated_elementary t p : calibrated p ->
  mean_elementary t p = (1 - t) * Pr P z - E P (fun w => positive_part (p w - t)).
Proof.
move=> cal; rewrite /mean_elementary /Pr.
have e := cal (fun x => ind (ltb t x)).
have -> : E P (fun w => elementary t (p w) (z w)) =
  E P (fun w => (1 - t) * ind (z w) - (positive_part (p w - t) + (ind (z w) - p w) * ind (ltb t (p w)))).
  apply: E_ext => w; rewrite elementary_alarm /positive_part /ind.
  by case: ltbP => l; case: lebP => l' //; try lra; have -> : p w = t; lra.
by rewrite E_sub E_add E_scal e; ring.
Qed.

(** label: prop-c30-knowledge, second sentence: p knows what p' knows, and more. *)
Theorem more_knowledge t p p' :
  (forall h : R -> R -> R, E P (fun w => (ind (z w) - p w) * h (p w) (p' w)) = 0) ->
  (forall h : R -> R, E P (fun w => (p w - p' w) * h (p' w)) = 0) ->
  calibrated p /\ calibrated p' /\ mean_elementary t p <= mean_elementary t p'.
Proof.
move=> h1 h2; have c : calibrated p by move=> h; exact: (h1 (fun x _ => h x)).
have c' : calibrated p'.
  move=> h; rewrite -[RHS](Rplus_0_l 0) -{1}(h1 (fun _ x => h x)) -(h2 h) -E_add.
  by apply: E_ext => w; ring.
split=> //; split=> //; rewrite !calibrated_elementary //.
suff : E P (fun w => positive_part (p' w - t)) <= E P (fun w => positive_part (p w - t)) by lra.
have e := h2 (fun x => ind (leb t x)).
apply: Rle_trans (_ : E P (fun w => positive_part (p' w - t) + (p w - p' w) * ind (leb t (p' w))) <= _).
  by rewrite E_add e; lra.
by apply: E_le => w; rewrite /positive_part /ind; do 3 case: lebP => ?; lra.
Qed.

(** label: thm-c11-optimal, second sentence, for finitely many worlds [w]: the data are [d w], and
    [truth] is the probability of a positive given the data.  A world may hold the binning, its
    frequencies, the sample and the new point. *)
Theorem best_prediction (D : finType) (d : W -> D) (g : D -> R) :
  (forall s, 0 < g s < 1) ->
  E P (fun w => loss_log (z w) (g (d w))) - E P (fun w => loss_log (z w) (truth d (d w))) =
    E P (fun w => divergence (truth d (d w)) (g (d w))) /\
  E P (fun w => loss_brier (z w) (g (d w))) - E P (fun w => loss_brier (z w) (truth d (d w))) =
    E P (fun w => Rsqr (truth d (d w) - g (d w))) /\
  0 <= E P (fun w => divergence (truth d (d w)) (g (d w))).
Proof.
move=> gr; have t (h : D -> R) : E P (fun w => (ind (z w) - truth d (d w)) * h (d w)) = 0.
  have -> : E P (fun w => (ind (z w) - truth d (d w)) * h (d w)) =
      \rsum_s h s * E P (fun w => (ind (z w) - truth d s) * ind (d w == s)).
    under [RHS]eq_bigr => s _ do rewrite -E_scal.
    rewrite -E_sum; apply: E_ext => v; rewrite (bigD1 (d v)) //= big1 => [|s ne].
      by rewrite eqxx /ind; ring.
    by rewrite eq_sym (negbTE ne) /ind; ring.
  by apply: big1 => s _; rewrite truth_residual; ring.
split; last split; last by apply: E_ge0 => w; apply: divergence_ge0 => //; exact: truth_range.
- pose h s := (ln (truth d s) - ln (g s)) - (ln (1 - truth d s) - ln (1 - g s)).
  rewrite -E_sub -[LHS]Rminus_0_r -{1}(t h) -E_sub; apply: E_ext => w.
  by rewrite /loss_log /divergence /h /ind; case: (z w); ring.
- pose h s := 2 * (truth d s - g s).
  rewrite -E_sub -[LHS]Rminus_0_r -{1}(t h) -E_sub; apply: E_ext => w.
  by rewrite /loss_brier /h /ind /Rsqr; case: (z w); ring.
Qed.
End Populations.
