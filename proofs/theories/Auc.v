(** The AUC of scores with finitely many values. *)
From Calibration Require Import Fin Scores.

(** A pair counts 1 if the positive [a] is above the negative [b], and 1/2 if they are equal. *)
Definition credit (a b : R) : R := if ltb b a then 1 else if eqb a b then 1/2 else 0.
Definition sgn (x : R) : R := if ltb 0 x then 1 else if ltb x 0 then -1 else 0.

Lemma credit_sgn a b : credit a b = / 2 + / 2 * sgn (a - b).
Proof. by rewrite /credit /sgn; compare_all; lra. Qed.

Lemma sgn_opp x : sgn (- x) = - sgn x.
Proof. by rewrite /sgn; compare_all; lra. Qed.

Lemma credit_range a b : 0 <= credit a b <= 1.
Proof. by rewrite /credit; compare_all; lra. Qed.

(** The AUC of a transformation [T] of cells [c], whose laws are [f1] for positives and [f0] for
    negatives. *)
Definition AUC (C : finType) (f1 f0 : C -> R) (T : C -> R) : R :=
  \rsum_c \rsum_d f1 c * f0 d * credit (T c) (T d).

(** label: thm-increasing, first sentence. *)
Theorem increasing_keeps_AUC (C : finType) (f1 f0 T : C -> R) (g : R -> R) :
  (forall x y, x < y -> g x < g y) -> AUC f1 f0 (fun c => g (T c)) = AUC f1 f0 T.
Proof.
move=> mono; apply: eq_bigr => c _; apply: eq_bigr => d _; congr (_ * _).
rewrite /credit; case: (Rtotal_order (T c) (T d)) => [lt|[->|lt]].
- by have := mono _ _ lt; compare_all; lra.
- by compare_all; lra.
- by have := mono _ _ lt; compare_all; lra.
Qed.

(** label: thm-increasing, second sentence, for a finite population. *)
Theorem increasing_keeps_calibration (W : finType) (P : law W) (z : W -> bool) (p : W -> R)
    (g : R -> R) : (forall x y, x < y -> g x < g y) -> calibrated P z p ->
  (calibrated P z (fun w => g (p w)) <-> forall w, 0 < P w -> g (p w) = p w).
Proof.
move=> mono cal; split=> [cal' w Pw|same h]; last first.
  rewrite -[RHS](cal h); apply: eq_bigr => w _; case: (mass_ge0 P w) => [Pw|<-]; last by ring.
  by rewrite same.
have inj x y : g x = g y -> x = y.
  by move=> e; case: (Rtotal_order x y) => [lt|[//|lt]]; have := mono _ _ lt; lra.
pose h y := ind (eqb y (g (p w))).
have e : E P (fun v => (p v - g (p v)) * h (g (p v))) = 0.
  have -> : E P (fun v => (p v - g (p v)) * h (g (p v))) =
    E P (fun v => (ind (z v) - g (p v)) * h (g (p v)))
    - E P (fun v => (ind (z v) - p v) * h (g (p v))) by rewrite -E_sub; apply: E_ext => v; ring.
  by rewrite (cal' h) (cal (fun x => h (g x))); ring.
have e2 : E P (fun v => (p v - g (p v)) * h (g (p v))) =
    (p w - g (p w)) * E P (fun v => h (g (p v))).
  rewrite -E_scal; apply: E_ext => v; rewrite /h; case: eqbP => [/inj ->|_] //.
  by rewrite /ind; ring.
have pos : 0 < E P (fun v => h (g (p v))).
  apply: Rlt_le_trans (sum_term (P := xpredT) (i := w) _ _) => //; last first.
    by move=> v _; apply: Rmult_le_pos; [exact: mass_ge0|case: (ind_range (eqb (g (p v)) (g (p w))))].
  by rewrite /h; case: eqbP => // _; rewrite /ind; lra.
by rewrite e2 in e; case: (Rmult_integral _ _ e) => ?; lra.
Qed.

Section Optimal.
Variables (C : finType) (f1 f0 : C -> R).
Hypotheses (f1_ge0 : forall c, 0 <= f1 c) (f0_ge0 : forall c, 0 <= f0 c).
Hypotheses (f1_sum : \rsum_c f1 c = 1) (f0_sum : \rsum_c f0 c = 1).
Definition nu c := f1 c + f0 c.
Definition star c := f1 c / nu c.

Lemma nu_ge0 c : 0 <= nu c.
Proof. by rewrite /nu; have := f1_ge0 c; have := f0_ge0 c; lra. Qed.

Lemma nu_star c : nu c * star c = f1 c.
Proof.
case: (nu_ge0 c) => [p|e]; first by rewrite /star mult_div.
by rewrite -e Rmult_0_l; move: e; rewrite /nu; have := f1_ge0 c; have := f0_ge0 c; lra.
Qed.

(** The weight of a pair of cells times the difference of their stars. *)
Lemma pair_difference c d :
  nu c * nu d * (star c - star d) = f1 c * f0 d - f1 d * f0 c.
Proof.
have -> : nu c * nu d * (star c - star d) = nu c * star c * nu d - nu c * (nu d * star d) by ring.
by rewrite !nu_star /nu; ring.
Qed.

(** label: thm-c22-auc, the AUC in closed form. *)
Theorem AUC_closed_form T : AUC f1 f0 T =
  / 2 + / 4 * \rsum_c \rsum_d sgn (T c - T d) * (nu c * nu d * (star c - star d)).
Proof.
pose S := \rsum_c \rsum_d f1 c * f0 d * sgn (T c - T d).
have swap : \rsum_c \rsum_d f1 d * f0 c * sgn (T c - T d) = - S.
  rewrite exchange_big /S /= -sum_opp; apply: eq_bigr => c _; rewrite -sum_opp; apply: eq_bigr => d _.
  have -> : T d - T c = - (T c - T d) by ring.
  by rewrite sgn_opp; ring.
have -> : \rsum_c \rsum_d sgn (T c - T d) * (nu c * nu d * (star c - star d)) =
    S - \rsum_c \rsum_d f1 d * f0 c * sgn (T c - T d).
  rewrite /S -sum_sub; apply: eq_bigr => c _; rewrite -sum_sub; apply: eq_bigr => d _.
  by rewrite pair_difference; ring.
rewrite swap; have -> : AUC f1 f0 T = / 2 * (\rsum_c f1 c * \rsum_d f0 d) + / 2 * S; last first.
  by rewrite -big_distrl /= f1_sum f0_sum; field.
rewrite /AUC /S -!sum_scal -big_split; apply: eq_bigr => c _ /=.
rewrite -!sum_scal -big_split; apply: eq_bigr => d _ /=.
by rewrite credit_sgn; ring.
Qed.

Lemma loss_closed_form T : AUC f1 f0 star - AUC f1 f0 T =
  / 4 * \rsum_c \rsum_d (1 - sgn (T c - T d) * sgn (star c - star d))
    * (nu c * nu d * Rabs (star c - star d)).
Proof.
rewrite !AUC_closed_form.
have -> : forall x y : R, / 2 + / 4 * x - (/ 2 + / 4 * y) = / 4 * (x - y) by move=> x y; ring.
congr (_ * _); rewrite -sum_sub; apply: eq_bigr => c _; rewrite -sum_sub; apply: eq_bigr => d _.
set D := star c - star d; have -> : D = sgn D * Rabs D.
  by rewrite /sgn /Rabs; compare_all; lra.
have s : sgn (sgn D * Rabs D) = sgn D.
  by congr sgn; rewrite /sgn /Rabs; compare_all; lra.
have a : Rabs (sgn D * Rabs D) = Rabs D.
  by congr Rabs; rewrite /sgn /Rabs; compare_all; lra.
rewrite s a; have q : sgn D * sgn D * Rabs D = Rabs D.
  by rewrite /sgn /Rabs; compare_all; lra.
have -> : sgn D * (nu c * nu d * (sgn D * Rabs D)) = nu c * nu d * (sgn D * sgn D * Rabs D) by ring.
by rewrite q; ring.
Qed.

Definition wrong (T : C -> R) c d := ind (ltb (star d) (star c) && ltb (T c) (T d))
  + ind (ltb (star c) (star d) && ltb (T d) (T c)).
Definition tied (T : C -> R) c d := ind (eqb (T c) (T d)).

(** label: cor-c22-loss *)
Theorem loss_of_AUC T : AUC f1 f0 star - AUC f1 f0 T =
  / 2 * \rsum_c \rsum_d wrong T c d * (nu c * nu d * Rabs (star c - star d)) +
  / 4 * \rsum_c \rsum_d tied T c d * (nu c * nu d * Rabs (star c - star d)).
Proof.
rewrite loss_closed_form -!sum_scal -big_split; apply: eq_bigr => c _ /=.
rewrite -!sum_scal -big_split; apply: eq_bigr => d _ /=; set x := nu c * nu d.
case: (Req_dec (star c) (star d)) => [->|ne].
  by rewrite Rminus_eq_0 Rabs_R0; ring.
have e : 1 - sgn (T c - T d) * sgn (star c - star d) = 2 * wrong T c d + tied T c d.
  by rewrite /sgn /wrong /tied /ind; compare_all => /=; lra.
by rewrite e; field.
Qed.

Lemma loss_term_ge0 T c d :
  0 <= (1 - sgn (T c - T d) * sgn (star c - star d)) * (nu c * nu d * Rabs (star c - star d)).
Proof.
apply: Rmult_le_pos; first by rewrite /sgn; compare_all; lra.
apply: Rmult_le_pos; last exact: Rabs_pos.
by apply: Rmult_le_pos; exact: nu_ge0.
Qed.

(** label: thm-c22-auc, the maximum. *)
Theorem star_is_best T : AUC f1 f0 T <= AUC f1 f0 star.
Proof.
have := loss_closed_form T; have : 0 <= \rsum_c \rsum_d
  (1 - sgn (T c - T d) * sgn (star c - star d)) * (nu c * nu d * Rabs (star c - star d)).
  by apply: sum_ge0 => c _; apply: sum_ge0 => d _; exact: loss_term_ge0.
lra.
Qed.

(** label: thm-c22-auc, the case of equality: cells without mass do not count. *)
Theorem equality_case T : AUC f1 f0 T = AUC f1 f0 star <->
  (forall c d, 0 < nu c -> 0 < nu d -> star d < star c -> T d < T c).
Proof.
have l := loss_closed_form T; split=> [e c d nc nd lt|order].
  pose F c := \rsum_d (1 - sgn (T c - T d) * sgn (star c - star d))
    * (nu c * nu d * Rabs (star c - star d)).
  have F0 x : 0 <= F x by apply: sum_ge0 => d' _; exact: loss_term_ge0.
  have z : \rsum_x F x = 0 by rewrite /F; lra.
  have zc := sum_zero (P := xpredT) (fun x _ => F0 x) z (i := c) isT.
  have := sum_zero (P := xpredT) (fun d' _ => loss_term_ge0 T c d') zc (i := d) isT.
  have p : 0 < nu c * nu d * Rabs (star c - star d).
    by apply: Rmult_lt_0_compat; [exact: Rmult_lt_0_compat|rewrite Rabs_pos_eq; lra].
  case/Rmult_integral => [|]; last by move=> h; lra.
  by rewrite /sgn; compare_all; lra.
suff : \rsum_c \rsum_d (1 - sgn (T c - T d) * sgn (star c - star d))
    * (nu c * nu d * Rabs (star c - star d)) = 0 by move=> z; rewrite z in l; lra.
apply: big1 => c _; apply: big1 => d _.
case: (nu_ge0 c) => [nc|<-]; last by ring.
case: (nu_ge0 d) => [nd|<-]; last by ring.
case: (Rtotal_order (star c) (star d)) => [lt|[->|lt]].
- by have := order d c nd nc lt; rewrite /sgn; compare_all; try lra; move=> _; ring.
- by rewrite Rminus_eq_0 Rabs_R0; ring.
- by have := order c d nc nd lt; rewrite /sgn; compare_all; try lra; move=> _; ring.
Qed.

(** The calibrated probability of a cell, where a case is positive with probability [p]. *)
Variable p : R.
Hypothesis p_range : 0 < p < 1.
Definition posterior c := p * f1 c / (p * f1 c + (1 - p) * f0 c).

(** label: lem-c22-order, the formula, for cells with mass. *)
Theorem posterior_of_star c : 0 < nu c ->
  posterior c = p * star c / (p * star c + (1 - p) * (1 - star c)).
Proof.
rewrite /posterior /star /nu => n0; have a := f1_ge0 c; have b := f0_ge0 c.
have q : 0 < p * f1 c + (1 - p) * f0 c.
  have u := Rmult_le_pos (1 - p) (f0 c) ltac:(lra) b.
  case: a => [a|a]; first by have := Rmult_lt_0_compat p (f1 c) ltac:(lra) a; lra.
  by have := Rmult_lt_0_compat (1 - p) (f0 c) ltac:(lra) ltac:(lra); rewrite -a; lra.
have e : p * (f1 c / (f1 c + f0 c)) + (1 - p) * (1 - f1 c / (f1 c + f0 c)) =
  (p * f1 c + (1 - p) * f0 c) / (f1 c + f0 c) by field; lra.
by rewrite e; field; lra.
Qed.

(** label: lem-c22-order, strictly increasing. *)
Theorem posterior_increases x y : 0 <= x -> x < y -> y <= 1 ->
  p * x / (p * x + (1 - p) * (1 - x)) < p * y / (p * y + (1 - p) * (1 - y)).
Proof.
move=> x0 xy y1; have a : 0 < p * x + (1 - p) * (1 - x) by nra.
have b : 0 < p * y + (1 - p) * (1 - y) by nra.
apply: (Rmult_lt_reg_r ((p * x + (1 - p) * (1 - x)) * (p * y + (1 - p) * (1 - y)))).
  exact: Rmult_lt_0_compat.
have -> : p * x / (p * x + (1 - p) * (1 - x)) * ((p * x + (1 - p) * (1 - x)) *
  (p * y + (1 - p) * (1 - y))) = p * x * (p * y + (1 - p) * (1 - y)) by field; lra.
have -> : p * y / (p * y + (1 - p) * (1 - y)) * ((p * x + (1 - p) * (1 - x)) *
  (p * y + (1 - p) * (1 - y))) = p * y * (p * x + (1 - p) * (1 - x)) by field; lra.
have : 0 < p * (1 - p) * (y - x) by apply: Rmult_lt_0_compat; nra.
lra.
Qed.

Lemma star_range c : 0 < nu c -> 0 <= star c <= 1.
Proof.
move=> n0; have e := nu_star c; have := f1_ge0 c; have := f0_ge0 c; rewrite /nu in n0 e *.
by split; nra.
Qed.

Lemma posterior_order c d : 0 < nu c -> 0 < nu d -> (posterior d < posterior c <-> star d < star c).
Proof.
move=> nc nd; have [a b] := star_range nc; have [a' b'] := star_range nd.
rewrite !posterior_of_star //; split=> [lt|lt]; last exact: posterior_increases.
case: (Rtotal_order (star c) (star d)) => [gt|[e|//]]; last by rewrite e in lt; lra.
by have := posterior_increases a gt b'; lra.
Qed.

(** label: thm-c22-auc, for the calibrated probability, which has the order of the star. *)
Theorem posterior_is_best T : AUC f1 f0 T <= AUC f1 f0 posterior.
Proof.
have -> : AUC f1 f0 posterior = AUC f1 f0 star; last exact: star_is_best.
by apply/equality_case => c d nc nd /posterior_order; apply.
Qed.

(** label: cor-c22-when, first sentence: [y] is the score of a cell, which may hold its part, too. *)
Theorem calibration_keeps_AUC y : AUC f1 f0 posterior = AUC f1 f0 y <->
  (forall c d, 0 < nu c -> 0 < nu d -> posterior d < posterior c -> y d < y c).
Proof.
have e : AUC f1 f0 posterior = AUC f1 f0 star.
  by apply/equality_case => c d nc nd /posterior_order; apply.
rewrite e; split=> [h c d nc nd /posterior_order lt|h].
  by have /equality_case := esym h; apply=> //; apply: lt.
by apply/esym/equality_case => c d nc nd lt; apply: h => //; apply/posterior_order.
Qed.
End Optimal.

Section Finer.
(** Objects [x : X] are seen through cells [phi x : D]. *)
Variables (X D : finType) (phi : X -> D) (f1 f0 : X -> R).
Definition in_cells (f : X -> R) (d : D) := \rsum_(x | phi x == d) f x.

Lemma in_cells_sum f : \rsum_d in_cells f d = \rsum_x f x.
Proof. by rewrite [RHS](partition_big phi xpredT). Qed.

Lemma AUC_cells T : AUC f1 f0 (fun x => T (phi x)) = AUC (in_cells f1) (in_cells f0) T.
Proof.
rewrite /AUC (partition_big phi xpredT) //=; apply: eq_bigr => c _.
rewrite (eq_bigr (fun x => \rsum_d f1 x * in_cells f0 d * credit (T c) (T d))); last first.
  move=> x /eqP e; rewrite (partition_big phi xpredT) //=; apply: eq_bigr => d _.
  by rewrite /in_cells big_distrr big_distrl; apply: eq_bigr => y /eqP e' /=; rewrite e e'.
by rewrite exchange_big /=; apply: eq_bigr => d _; rewrite -!big_distrl.
Qed.

Hypotheses (f1_ge0 : forall x, 0 <= f1 x) (f0_ge0 : forall x, 0 <= f0 x).
Hypotheses (f1_sum : \rsum_x f1 x = 1) (f0_sum : \rsum_x f0 x = 1).
Variable p : R.
Hypothesis p_range : 0 < p < 1.
Definition calibrated_cells (x : X) := posterior (in_cells f1) (in_cells f0) p (phi x).

Theorem calibrated_cells_best T : AUC f1 f0 (fun x => T (phi x)) <= AUC f1 f0 calibrated_cells.
Proof.
rewrite AUC_cells (AUC_cells (posterior (in_cells f1) (in_cells f0) p)).
by apply: posterior_is_best; rewrite ?in_cells_sum // => c; exact: sum_ge0.
Qed.
End Finer.

Section Parts.
Variables (X : finType) (f1 f0 : X -> R).
Hypotheses (f1_ge0 : forall x, 0 <= f1 x) (f0_ge0 : forall x, 0 <= f0 x).
Hypotheses (f1_sum : \rsum_x f1 x = 1) (f0_sum : \rsum_x f0 x = 1).
Variable p : R.
Hypothesis p_range : 0 < p < 1.

(** label: cor-c22-finer, both sentences: [r] merges the cells of [fine], and [T] is any function of
    the objects. *)
Theorem finer_never_worse (C D : finType) (fine : X -> D) (r : D -> C) (T : X -> R) :
  AUC f1 f0 (calibrated_cells (fun x => r (fine x)) f1 f0 p) <=
    AUC f1 f0 (calibrated_cells fine f1 f0 p) /\
  AUC f1 f0 T <= AUC f1 f0 (calibrated_cells id f1 f0 p).
Proof.
split; last exact: (calibrated_cells_best id f1_ge0 f0_ge0 f1_sum f0_sum p_range T).
exact: (calibrated_cells_best fine f1_ge0 f0_ge0 f1_sum f0_sum p_range
  (fun d => posterior (in_cells (fun x => r (fine x)) f1) (in_cells (fun x => r (fine x)) f0) p (r d))).
Qed.

(** Calibration of a score in each part of a partition never lowers the AUC. *)
Theorem calibrating_parts (V K : finType) (score : X -> V) (value : V -> R) (part : X -> K) :
  AUC f1 f0 (fun x => value (score x)) <=
  AUC f1 f0 (calibrated_cells (fun x => (score x, part x)) f1 f0 p).
Proof.
exact: (calibrated_cells_best (fun x => (score x, part x)) f1_ge0 f0_ge0 f1_sum f0_sum p_range
  (fun c => value c.1)).
Qed.
End Parts.

Section PairsOfParts.
(** Objects [x] in parts [part x]; [f1] and [f0] are the laws of positives and negatives. *)
Variables (X K : finType) (part : X -> K) (f1 f0 : X -> R).
Hypotheses (f1_ge0 : forall x, 0 <= f1 x) (f0_ge0 : forall x, 0 <= f0 x).
Definition share (f : X -> R) i := \rsum_(x | part x == i) f x.
Definition AUC_of_parts (T : X -> R) i j :=
  (\rsum_(x | part x == i) \rsum_(y | part y == j) f1 x * f0 y * credit (T x) (T y))
  / (share f1 i * share f0 j).

Lemma parts_without_pairs T i j : share f1 i * share f0 j = 0 ->
  \rsum_(x | part x == i) \rsum_(y | part y == j) f1 x * f0 y * credit (T x) (T y) = 0.
Proof.
move=> e; apply: big1 => x hx; apply: big1 => y hy.
case: (Rmult_integral _ _ e) => z.
  by rewrite (sum_zero (P := fun x => part x == i) (fun v _ => f1_ge0 v) z hx); ring.
by rewrite (sum_zero (P := fun y => part y == j) (fun v _ => f0_ge0 v) z hy); ring.
Qed.

(** label: prop-c22-parts, the equation; a pair of parts without pairs counts 0. *)
Theorem AUC_by_parts T :
  AUC f1 f0 T = \rsum_i \rsum_j share f1 i * share f0 j * AUC_of_parts T i j.
Proof.
rewrite /AUC (partition_big part xpredT) //=; apply: eq_bigr => i _.
rewrite (eq_bigr (fun x => \rsum_j \rsum_(y | part y == j) f1 x * f0 y * credit (T x) (T y))).
  rewrite exchange_big /=; apply: eq_bigr => j _; rewrite /AUC_of_parts.
  case: (Req_dec (share f1 i * share f0 j) 0) => [z|nz].
    by rewrite z Rmult_0_l parts_without_pairs.
  by move: nz; set w := share f1 i * _ => nz; field.
by move=> x _; rewrite (partition_big part xpredT).
Qed.

(** label: prop-c22-parts, last sentence. *)
Theorem AUC_within_part (y : X -> R) (g : K -> R -> R) i :
  (forall k a b, a < b -> g k a < g k b) ->
  AUC_of_parts (fun x => g (part x) (y x)) i i = AUC_of_parts y i i.
Proof.
move=> mono; congr (_ / _); apply: eq_bigr => x /eqP px; apply: eq_bigr => v /eqP pv.
congr (_ * _); rewrite px pv /credit; case: (Rtotal_order (y x) (y v)) => [lt|[->|lt]].
- by have := mono i _ _ lt; compare_all; lra.
- by compare_all; lra.
- by have := mono i _ _ lt; compare_all; lra.
Qed.
End PairsOfParts.
