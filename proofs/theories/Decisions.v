(** Decisions, intervals of probabilities, several tests, several classes. *)
From Calibration Require Import Fin Scores Average.

Section Policy.
(** Person [x] is met with the mass [m x], answers with the probability [r x] and then gives [a x];
    a letter costs [c].  A policy mails [x] with the probability [f x]. *)
Variables (X : finType) (m r a : X -> R) (c : R).
Hypothesis m_ge0 : forall x, 0 <= m x.
Definition profit (f : X -> R) := \rsum_x m x * (f x * (r x * a x - c)).
Definition mail_where (r' : X -> R) x := ind (ltb c (r' x * a x)).

(** label: thm-c10-policy *)
Theorem best_policy f : (forall x, 0 <= f x <= 1) -> profit f <= profit (mail_where r).
Proof.
move=> f01; apply: sum_le => x _; apply: Rmult_le_compat_l => //.
by rewrite /mail_where /ind; have := f01 x; case: ltbP; nra.
Qed.

Definition differs (r' : X -> R) x := mail_where r' x - mail_where r x.

(** label: thm-c10-price, the equation and the bound: [r'] is the miscalibrated probability, and
    [Rabs (differs r' x)] is 1 where the decision differs from the best one, else 0. *)
Theorem price_of_miscalibration r' : (forall x, 0 <= a x) ->
  profit (mail_where r) - profit (mail_where r') =
    \rsum_x m x * (Rabs (r x * a x - c) * Rabs (differs r' x)) /\
  \rsum_x m x * (Rabs (r x * a x - c) * Rabs (differs r' x)) <=
    \rsum_x m x * (a x * Rabs (r' x - r x)).
Proof.
move=> a0; split.
  rewrite /profit -sum_sub; apply: eq_bigr => x _; rewrite -Rmult_minus_distr_l; congr (_ * _).
  by rewrite /differs /mail_where /ind; do 2 case: ltbP => ?; rewrite /Rabs; do 2 case: Rcase_abs => ?; lra.
apply: sum_le => x _; apply: Rmult_le_compat_l => //; have := a0 x => ax.
have -> : a x * Rabs (r' x - r x) = Rabs (r' x * a x - r x * a x).
  by rewrite -[X in X * _](Rabs_pos_eq _ ax) -Rabs_mult; congr Rabs; ring.
by rewrite /differs /mail_where /ind; do 2 case: ltbP => ?; rewrite /Rabs; do 3 case: Rcase_abs => ?; lra.
Qed.
End Policy.

(** A linear function that is at most 0 at both ends is at most 0 between them. *)
Lemma linear_le a b p0 p1 p : p0 <= p <= p1 -> a + b * p0 <= 0 -> a + b * p1 <= 0 -> a + b * p <= 0.
Proof. by move=> h l0 l1; case: (Rle_dec b 0) => s; nra. Qed.

Section Ends.
(** Action [a] costs [u a + v a * p] where the probability is [p], somewhere from [p0] to [p1]. *)
Variables (A : finType) (u v : A -> R) (p0 p1 : R).
Hypothesis ordered : p0 <= p1.
Definition cost a p := u a + v a * p.
(** [regret_le a p M]: no action is cheaper than [a] at [p] by more than [M]. *)
Definition regret_le a p M := forall b, cost a p - cost b p <= M.

(** label: thm-c38-ends, part 1. *)
Theorem cost_at_ends a p : p0 <= p <= p1 ->
  Rmin (cost a p0) (cost a p1) <= cost a p <= Rmax (cost a p0) (cost a p1).
Proof.
move=> h; case: (Rle_dec (v a) 0) => s; split.
- by apply: Rle_trans (Rmin_r _ _) _; rewrite /cost; nra.
- by apply: Rle_trans _ (Rmax_l _ _); rewrite /cost; nra.
- by apply: Rle_trans (Rmin_l _ _) _; rewrite /cost; nra.
- by apply: Rle_trans _ (Rmax_r _ _); rewrite /cost; nra.
Qed.

(** label: thm-c38-ends, part 2. *)
Theorem dominance_at_ends a b :
  ((forall p, p0 <= p <= p1 -> cost b p <= cost a p) /\
   (exists p, p0 <= p <= p1 /\ cost b p < cost a p)) <->
  (cost b p0 <= cost a p0 /\ cost b p1 <= cost a p1 /\
   (cost b p0 < cost a p0 \/ cost b p1 < cost a p1)).
Proof.
split=> [[le [p [hp lt]]]|[l0 [l1 lt]]].
  split; first by apply: le; lra.
  split; first by apply: le; lra.
  case: (Rlt_le_dec (cost b p0) (cost a p0)) => [|g0]; first by left.
  right; move: lt g0; rewrite /cost => lt g0.
  have slope : (v b - v a) * (p - p0) < 0 by lra.
  have neg : v b - v a < 0 by nra.
  have : (v b - v a) * (p1 - p) <= 0 by nra.
  lra.
split=> [p hp|].
  have := linear_le (a := u b - u a) (b := v b - v a) hp; move: l0 l1; rewrite /cost; lra.
by case: lt => lt; [exists p0|exists p1]; split=> //; lra.
Qed.

(** label: thm-c38-ends, part 3: the regret of an action is at most M on the interval if and only if
    it is so at both ends. *)
Theorem regret_at_ends a M :
  (forall p, p0 <= p <= p1 -> regret_le a p M) <-> (regret_le a p0 M /\ regret_le a p1 M).
Proof.
split=> [h|[h0 h1] p hp b]; first by split; apply: h; lra.
have := linear_le (a := u a - u b - M) (b := v a - v b) hp.
by have := h0 b; have := h1 b; rewrite /cost; lra.
Qed.
End Ends.

(** label: thm-c38-ends, part 4: the first of two actions costs [w * (t - p)] more than the second.
    Its largest regret is [w * max(0, t - p0)], that of the second [w * max(0, p1 - t)]. *)
Theorem midpoint_rule w t p0 p1 : 0 < w -> p0 <= p1 ->
  let first := w * Rmax 0 (t - p0) in let second := w * Rmax 0 (p1 - t) in
  (first < second <-> t < (p0 + p1) / 2) /\ Rmin first second <= w * (p1 - p0) / 2.
Proof.
move=> w0 le /=; case: (Rle_lt_dec t p0) => a.
  rewrite (Rmax_left 0 (t - p0)) ?(Rmax_right 0 (p1 - t)); try lra.
  split; first by split=> h; nra.
  by apply: Rle_trans (Rmin_l _ _) _; nra.
case: (Rle_lt_dec p1 t) => b.
  rewrite (Rmax_right 0 (t - p0)) ?(Rmax_left 0 (p1 - t)); try lra.
  split; first by split=> h; nra.
  by apply: Rle_trans (Rmin_r _ _) _; nra.
rewrite (Rmax_right 0 (t - p0)) ?(Rmax_right 0 (p1 - t)); try lra.
split; first by split=> h; nra.
case: (Rle_lt_dec t ((p0 + p1) / 2)) => c.
  by apply: Rle_trans (Rmin_l _ _) _; nra.
by apply: Rle_trans (Rmin_r _ _) _; nra.
Qed.

Section Unanimous.
(** The pair of probabilities [p0 w <= p1 w] of a new case; the one that belongs to its label is
    right on average. *)
Variables (W : finType) (P : law W) (z : W -> bool) (p0 p1 : W -> R) (t : R).
Definition selected w := if z w then p1 w else p0 w.
Hypotheses (valid : calibrated P z selected) (ordered : forall w, p0 w <= p1 w).
Definition act w := leb t (p0 w).
Definition let_be w := ltb (p1 w) t.
Definition undecided w := ltb (p0 w) t && leb t (p1 w).

(** label: thm-c38-unanimous, both lines. *)
Theorem unanimous :
  t * Pr P act - (1 - t) * Pr P (fun w => z w && undecided w) <= Pr P (fun w => z w && act w) /\
  Pr P (fun w => z w && let_be w) <= t * Pr P let_be + t * Pr P (fun w => ~~ z w && undecided w).
Proof.
have a : 0 <= E P (fun w => (ind (z w) - t) * ind (leb t (selected w))).
  rewrite -(valid (fun x => ind (leb t x))); apply: E_le => w; rewrite /ind.
  by case: lebP; case: (z w); lra.
have b : E P (fun w => (ind (z w) - t) * ind (ltb (selected w) t)) <= 0.
  rewrite -(valid (fun x => ind (ltb x t))); apply: E_le => w; rewrite /ind.
  by case: ltbP; case: (z w); lra.
split.
- have e : E P (fun w => (ind (z w) - t) * ind (leb t (selected w))) =
    Pr P (fun w => z w && act w) - t * Pr P act + (1 - t) * Pr P (fun w => z w && undecided w).
    rewrite /Pr -!E_scal -E_sub -E_add; apply: E_ext => w; have := ordered w.
    rewrite /selected /act /undecided /ind; case: (z w) => /=; last first.
      by case: lebP => ? ?; ring.
    by do 2 case: lebP => ?; case: ltbP => ? /=; lra.
  by rewrite e in a; lra.
- have e : E P (fun w => (ind (z w) - t) * ind (ltb (selected w) t)) =
    Pr P (fun w => z w && let_be w) - t * Pr P let_be - t * Pr P (fun w => ~~ z w && undecided w).
    rewrite /Pr -!E_scal -!E_sub; apply: E_ext => w; have := ordered w.
    rewrite /selected /let_be /undecided /ind; case: (z w) => /=.
      by case: ltbP => ? ?; ring.
    by do 2 case: ltbP => ?; case: lebP => ? /=; lra.
  by rewrite e in b; lra.
Qed.
End Unanimous.

Section Holm.
(** [m] p values, which are looked at in the order [order w] in the outcome [w].  Holm sorts them;
    that rejects most, and the proof does not need it. *)
Variables (W : finType) (P : law W) (m : nat) (p : W -> 'I_m -> R) (order : W -> 'I_m -> 'I_m).
Hypothesis order_inj : forall w, injective (order w).
(** Hypothesis [i] is true if [true_ones i]; then its p value is small with small probability. *)
Variables (true_ones : pred 'I_m) (alpha : R).
Hypothesis p_value : forall i u, true_ones i -> 0 <= u -> Pr P (fun w => leb (p w i) u) <= u.
Hypothesis alpha_ge0 : 0 <= alpha.
Definition rejected w i := [exists r : 'I_m, (order w r == i) &&
  [forall s : 'I_m, (s <= r)%N ==> leb (p w (order w s)) (alpha / INR (m - s))]].

(** label: thm-c15-holm *)
Theorem holm : Pr P (fun w => [exists i, true_ones i && rejected w i]) <= alpha.
Proof.
pose m0 := #|true_ones|.
have some w : [exists i, true_ones i && rejected w i] ->
    [exists i, true_ones i && leb (p w i) (alpha / INR m0)].
  case/existsP => i /andP[ti /existsP[r /andP[/eqP ri /forallP ok]]].
  have ex : exists s, (s <= r)%N && [exists x : 'I_m, (val x == s) && true_ones (order w x)].
    by exists r; rewrite leqnn; apply/existsP; exists r; rewrite eqxx ri.
  case: (ex_minnP ex) => s /andP[sr /existsP[x /andP[/eqP xs tx]]] least.
  apply/existsP; exists (order w x); rewrite tx /=; apply/lebP.
  have xr : (x <= r)%N by rewrite xs.
  have := ok x; rewrite xr /= => /lebP le; apply: Rle_trans le _.
  have mpos : (0 < m0)%N by apply/card_gt0P; exists (order w x).
  have mle : (m0 <= m - x)%N.
    have -> : m0 = #|[pred y | true_ones (order w y)]|.
      by rewrite /m0 -!sum1_card (reindex_inj (@order_inj w)) /=; apply: eq_bigl.
    have <- : #|[pred y : 'I_m | (x <= y)%N]| = (m - x)%N.
      by rewrite -sum1_card -[RHS]muln1 -sum_nat_const_nat big_geq_mkord.
    apply: subset_leq_card; apply/subsetP => y; rewrite !inE => ty.
    rewrite leqNgt; apply/negP => yx; have h : (s <= y)%N.
      apply: least; rewrite (leq_trans (ltnW yx) xr) /=.
      by apply/existsP; exists y; rewrite eqxx.
    by rewrite -xs leqNgt yx in h.
  apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar; first by apply: lt_0_INR; apply/ltP.
  by apply: le_INR; apply/leP.
apply: Rle_trans (Pr_le P some) _; apply: Rle_trans (Pr_exists P _) _.
case: (posnP m0) => [z|pos].
  rewrite big1 // => i _; have := card0_eq z i; rewrite -[i \in _]/(true_ones i) => -> /=.
  by rewrite /Pr -[RHS](E_const P 0).
have m0p : 0 < INR m0 by apply: lt_0_INR; apply/ltP.
have e : \rsum_(i | true_ones i) (alpha / INR m0) = alpha by rewrite sum_const_pred; exact: mult_div.
rewrite -[X in _ <= X]e [X in _ <= X]big_mkcond.
apply: sum_le => i _; case: ifP => t /=; last first.
  by rewrite /Pr -[X in _ <= X](E_const P 0); apply: E_le => w; rewrite /ind; lra.
by apply: p_value => //; apply: Rmult_le_pos => //; left; exact: Rinv_0_lt_compat.
Qed.
End Holm.

(** label: lem-c32-two-points, finitely many data [x]; the guess is + with the probability [g x]. *)
Theorem two_points (X : finType) (Pplus Pminus : law X) (g : X -> R) : (forall x, 0 <= g x <= 1) ->
  / 2 * (E Pplus g + E Pminus (fun x => 1 - g x)) <=
  / 2 * (1 + / 2 * \rsum_x Rabs (Pplus x - Pminus x)).
Proof.
move=> g01; apply: Rmult_le_compat_l; first lra.
rewrite E_sub E_const; suff : E Pplus g - E Pminus g <= / 2 * \rsum_x Rabs (Pplus x - Pminus x) by lra.
have -> : E Pplus g - E Pminus g = \rsum_x (Pplus x - Pminus x) * (g x - / 2).
  have -> : \rsum_x (Pplus x - Pminus x) * (g x - / 2) =
      \rsum_x (Pplus x * g x - Pminus x * g x) - \rsum_x (/ 2 * Pplus x - / 2 * Pminus x).
    by rewrite -sum_sub; apply: eq_bigr => x _; ring.
  by rewrite !sum_sub !sum_scal !mass_sum /E; ring.
rewrite -sum_scal; apply: sum_le => x _; have := g01 x.
by rewrite /Rabs; case: Rcase_abs => ? ?; nra.
Qed.

Section Classes.
(** A finite population with several classes; [p w k] is the probability that the prediction gives
    to class [k], and [top] picks a class from the vector. *)
Variables (W K : finType) (P : law W) (z : W -> K) (p : W -> K -> R) (top : (K -> R) -> K).
Definition hit k w := ind (z w == k).
Definition canonical := forall k (h : (K -> R) -> R), E P (fun w => (hit k w - p w k) * h (p w)) = 0.
Definition class_wise := forall k (h : R -> R), E P (fun w => (hit k w - p w k) * h (p w k)) = 0.
Definition top_label := forall h : K -> R -> R,
  E P (fun w => (hit (top (p w)) w - p w (top (p w))) * h (top (p w)) (p w (top (p w)))) = 0.
Definition confidence := forall h : R -> R,
  E P (fun w => (hit (top (p w)) w - p w (top (p w))) * h (p w (top (p w)))) = 0.

(** label: thm-c37-implications, the first two sentences. *)
Theorem implications : (canonical -> class_wise /\ top_label) /\ (top_label -> confidence).
Proof.
split=> [c|t h]; last exact: (t (fun _ => h)).
split=> [k h|h]; first exact: (c k (fun v => h (v k))).
rewrite (E_ext _ (Y := fun w => \rsum_k (hit k w - p w k) * (ind (top (p w) == k) * h k (p w k)))).
  rewrite E_sum big1 // => k _; exact: (c k (fun v => ind (top v == k) * h k (v k))).
move=> w; rewrite (bigD1 (top (p w))) //= big1 => [|k ne]; first by rewrite eqxx /ind; ring.
by rewrite eq_sym (negbTE ne) /ind; ring.
Qed.
End Classes.

(** label: lem-c37-coupling *)
Theorem coupling (K : finType) (q : K -> R) k : (forall j, 0 < q j) -> \rsum_j q j = 1 ->
  q k = / (\rsum_(j | j != k) / (q k / (q j + q k)) - (INR #|K| - 2)).
Proof.
move=> q0 q1; have qk := q0 k.
have -> : \rsum_(j | j != k) / (q k / (q j + q k)) = \rsum_(j | j != k) (/ q k * q j + 1).
  by apply: eq_bigr => j _; field; have := q0 j; lra.
rewrite big_split /= sum_scal.
have -> : \rsum_(j | j != k) q j = 1 - q k by move: q1; rewrite (bigD1 k) //= => e; lra.
have -> : \rsum_(j | j != k) 1 = INR #|K| - 1.
  by have := sum_const K 1; rewrite (bigD1 k) //= => e; lra.
set n := INR _; have -> : / q k * (1 - q k) + (n - 1) - (n - 2) = / q k by field; lra.
by rewrite Rinv_involutive; lra.
Qed.

Section Bayes.
(** [mj] of [m] positives and [nj] of [n] negatives lie in a bin of width [h]. *)
Variables (m n : R).
Hypotheses (m_pos : 0 < m) (n_pos : 0 < n).
Definition bayes (f1 f0 : R) := m / (m + n) * f1 / (m / (m + n) * f1 + n / (m + n) * f0).

(** label: prop-c7-histogram *)
Theorem bayes_with_histograms mj nj h : 0 < h -> 0 < mj + nj ->
  bayes (mj / (m * h)) (nj / (n * h)) = mj / (mj + nj).
Proof.
move=> h0 s; have mn : 0 < / (m + n) by apply: Rinv_0_lt_compat; lra.
have hi : 0 < / h by exact: Rinv_0_lt_compat.
have e1 : m / (m + n) * (mj / (m * h)) = / (m + n) * / h * mj by field; lra.
have e0 : n / (m + n) * (nj / (n * h)) = / (m + n) * / h * nj by field; lra.
rewrite /bayes e1 e0 -Rmult_plus_distr_l; field; lra.
Qed.

(** The kernel sums [S1] of the positives and [S0] of the negatives, with bandwidths [h1] and [h0]. *)
Variables (S1 S0 h1 h0 : R).
Hypotheses (h1_pos : 0 < h1) (h0_pos : 0 < h0) (S1_pos : 0 < S1) (S0_pos : 0 < S0).
Definition kernel_calibrator := h0 * S1 / (h0 * S1 + h1 * S0).
Definition published := n * h0 * S1 / (n * h0 * S1 + m * h1 * S0).

(** label: prop-c7-kde, both sentences, where both sums are positive. *)
Theorem bayes_with_kernels :
  bayes (S1 / (m * h1)) (S0 / (n * h0)) = kernel_calibrator /\
  (h0 = h1 -> kernel_calibrator = S1 / (S1 + S0)).
Proof.
have p1 := Rmult_lt_0_compat _ _ h0_pos S1_pos; have p0 := Rmult_lt_0_compat _ _ h1_pos S0_pos.
split; last by rewrite /kernel_calibrator => e; rewrite e in p1 *; field; lra.
have mn : 0 < / (m + n) by apply: Rinv_0_lt_compat; lra.
have hh : 0 < / (h0 * h1) by apply: Rinv_0_lt_compat; exact: Rmult_lt_0_compat.
have e1 : m / (m + n) * (S1 / (m * h1)) = / (m + n) * / (h0 * h1) * (h0 * S1) by field; lra.
have e0 : n / (m + n) * (S0 / (n * h0)) = / (m + n) * / (h0 * h1) * (h1 * S0) by field; lra.
rewrite /bayes e1 e0 -Rmult_plus_distr_l /kernel_calibrator; field; lra.
Qed.

(** label: prop-c7-finding, both sentences, where both sums are positive. *)
Theorem published_formula :
  published = S1 / (m * h1) / (S1 / (m * h1) + S0 / (n * h0)) /\
  published / (1 - published) = kernel_calibrator / (1 - kernel_calibrator) * (n / m).
Proof.
have p1 := Rmult_lt_0_compat _ _ h0_pos S1_pos; have p0 := Rmult_lt_0_compat _ _ h1_pos S0_pos.
have q1 := Rmult_lt_0_compat _ _ n_pos p1; have q0 := Rmult_lt_0_compat _ _ m_pos p0.
have o1 : published / (1 - published) = n * (h0 * S1) / (m * (h1 * S0)).
  by rewrite /published; field; lra.
have o2 : kernel_calibrator / (1 - kernel_calibrator) = (h0 * S1) / (h1 * S0).
  by rewrite /kernel_calibrator; field; lra.
split; last by rewrite o1 o2; field; lra.
have e1 : S1 / (m * h1) = / (m * n * h0 * h1) * (n * (h0 * S1)) by field; lra.
have e0 : S0 / (n * h0) = / (m * n * h0 * h1) * (m * (h1 * S0)) by field; lra.
have d : 0 < / (m * n * h0 * h1).
  by apply: Rinv_0_lt_compat; do 3 apply: Rmult_lt_0_compat => //.
by rewrite e1 e0 -Rmult_plus_distr_l /published; field; lra.
Qed.
End Bayes.
