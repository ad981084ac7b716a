(** Hypotheses that cannot be left out: each statement here is a theorem of the other files with one
    hypothesis dropped, and is refuted by an example. *)
From Calibration Require Import Fin Scores Grouping Hoeffding MeanError Average Sequential Groups.
From Calibration Require Import Decisions Auc Isotonic Venn.

Lemma sum_unit (f : unit -> R) : \rsum_(i : unit) f i = f tt.
Proof. by rewrite (bigD1 tt) //= big1 => [|[]]; [ring|]. Qed.

Lemma max_unit (f : unit -> R) : 0 <= f tt -> \rmax_(i : unit) f i = f tt.
Proof. by move=> h; apply: Rle_antisym; [apply: max_le => // -[]; lra|exact: (max_ub f)]. Qed.

(** A fair coin, and laws on one point. *)
Lemma fair_ge0 (b : bool) : 0 <= / 2. Proof. lra. Qed.
Lemma fair_sum : \rsum_(b : bool) / 2 = 1. Proof. by rewrite sum_bool; field. Qed.
Definition fair : law [finType of bool] := Law fair_ge0 fair_sum.
Lemma sure_ge0 (b : unit) : 0 <= 1. Proof. lra. Qed.
Lemma sure_sum : \rsum_(b : unit) 1 = 1. Proof. by rewrite sum_unit. Qed.
Definition sure : law [finType of unit] := Law sure_ge0 sure_sum.

(** needed: Grouping.MCE_le_max, eta_ge0: masses 2 and -1, errors 1 and 0. *)
Theorem grouping_needs_masses : ~ (forall (I K : finType) (g : I -> K) (eta theta est : I -> R),
  MCE g eta theta est <= \rmax_i Rabs (est i - theta i)).
Proof.
move=> h; pose two b := if b then 2 else -1; pose one (b : bool) := if b then 1 else 0.
have a := h [finType of bool] [finType of unit] (fun=> tt) two one (fun=> 0).
have b := max_ub (gap (fun _ : bool => tt) two one (fun=> 0)) tt.
have e : gap (fun _ : bool => tt) two one (fun=> 0) tt = 2.
  have sum_two (f : bool -> R) : \rsum_(i | tt == tt) f i = f true + f false by rewrite big_bool.
  have -> : 2 = Rabs 2 by rewrite Rabs_pos_eq; lra.
  by congr Rabs; rewrite /Grouping.observed /Grouping.predicted /Grouping.share !sum_two /two /one; field.
have c : \rmax_(i : bool) Rabs (0 - one i) <= 1.
  apply: max_le => [|i]; first lra.
  by rewrite /one; case: i; rewrite /Rminus Rplus_0_l Rabs_Ropp ?Rabs_R0 ?Rabs_R1; lra.
have d : 2 <= MCE (fun _ : bool => tt) two one (fun=> 0) by rewrite -e.
by have := Rle_trans _ _ _ d (Rle_trans _ _ _ a c); lra.
Qed.

(** needed: Grouping.kuiper_le_ECE, m_ge0: one value of mass -1. *)
Theorem kuiper_needs_masses : ~ (forall (n : nat) (m pi p : 'I_n -> R),
  kuiper m pi p <= \rsum_i m i * Rabs (pi i - p i)).
Proof.
move=> /(_ 1%N (fun=> -1) (fun=> 1) (fun=> 0)) h.
have k0 : 0 <= kuiper (fun _ : 'I_1 => -1) (fun=> 1) (fun=> 0) by exact: max_ge0.
have e : \rsum_(i : 'I_1) -1 * Rabs (1 - 0) = -1.
  by rewrite big_ord_recl big_ord0 Rminus_0_r Rabs_R1; ring.
by rewrite e in h; lra.
Qed.

(** needed: Hoeffding.hoeffding, independent: one fair coin gives all four labels. *)
Theorem hoeffding_needs_independence : ~ (forall (T : finType) (P : law T) (I : finType)
    (z : T -> I -> bool) (p : I -> R) (A : pred I), (forall i, E P (fun t => ind (z t i)) = p i) ->
  0 < number A -> forall eps, 0 <= eps ->
  Pr P (fun t => leb eps (Rabs (Hoeffding.observed z A t - mean_p p A)))
    <= 2 * exp (- (2 * number A * (eps * eps)))).
Proof.
move=> h; have four (x : R) : \rsum_(i : 'I_4) x = 4 * x.
  by rewrite !big_ord_recl big_ord0; ring.
have n4 : number (fun _ : 'I_4 => true) = 4 by rewrite /number four; ring.
have := h _ fair [finType of 'I_4] (fun t _ => t) (fun=> / 2) (fun=> true).
rewrite n4 => /(_ _ _ (/ 2)).
have ob b : Hoeffding.observed (fun t (_ : 'I_4) => t) (fun=> true) b = ind b.
  by rewrite /Hoeffding.observed n4 four; field.
have mp : mean_p (fun _ : 'I_4 => / 2) (fun=> true) = / 2 by rewrite /mean_p n4 four; field.
have one : Pr fair (fun t => leb (/ 2) (Rabs (Hoeffding.observed (fun t (_ : 'I_4) => t) (fun=> true) t
    - mean_p (fun _ : 'I_4 => / 2) (fun=> true)))) = 1.
  rewrite -[RHS](E_const fair 1); apply: E_ext => b; rewrite ob mp.
  have -> : Rabs (ind b - / 2) = / 2 by case: b; rewrite /ind /Rabs; case: Rcase_abs; lra.
  by case: lebP => //; lra.
rewrite one => /(_ _ _ ltac:(lra)) => lt; have {}lt : 1 <= 2 * exp (- (2 * 4 * (/ 2 * / 2))).
  by apply: lt => [i|]; [rewrite /E sum_bool /= /ind; field|lra].
move: lt; have -> : - (2 * 4 * (/ 2 * / 2)) = - (1 + 1) by field.
rewrite exp_Ropp exp_plus; have e := exp_ineq1 1 ltac:(lra).
have : / (exp 1 * exp 1) < / 4; last lra.
by apply: Rinv_lt_contravar; nra.
Qed.

(** needed: MeanError.perfect_forecaster, uncorrelated: one fair coin gives all four labels. *)
Theorem perfect_forecaster_needs_uncorrelated : ~ (forall (T : finType) (P : law T) (I : finType)
    (z : T -> I -> bool) (p : I -> R) (K : finType) (g : I -> K),
  (forall i, E P (fun t => ind (z t i)) = p i) -> (0 < #|I|)%N ->
  E P (fun t => sample_ECE (z t) p g) <= / 2 * sqrt (INR #|K| / INR #|I|)).
Proof.
move=> h; have four (x : R) : \rsum_(i : 'I_4) x = 4 * x.
  by rewrite !big_ord_recl big_ord0; ring.
have c4 : INR #|[finType of 'I_4]| = 4 by rewrite card_ord /=; ring.
have := h _ fair [finType of 'I_4] (fun t _ => t) (fun=> / 2) [finType of unit] (fun=> tt).
rewrite card_ord => /(_ _ isT) le.
have half : E fair (fun t => sample_ECE (fun _ : 'I_4 => t) (fun=> / 2) (fun=> tt)) = / 2.
  rewrite -[RHS](E_const fair); apply: E_ext => b.
  rewrite /sample_ECE /ECE sum_unit share_gap => [|i]; last first.
    by rewrite c4; left; apply: Rinv_0_lt_compat; lra.
  rewrite (eq_bigl xpredT) // c4 four.
  by case: b; rewrite /ind /Rabs; case: Rcase_abs; lra.
have {}le : / 2 <= / 2 * sqrt (INR #|[finType of unit]| / INR 4).
  by rewrite -[X in X <= _]half; apply: le => i; rewrite /E sum_bool /= /ind; field.
move: le; rewrite card_unit; have -> : INR 1 / INR 4 = / 2 * / 2 by rewrite /=; field.
by rewrite sqrt_square; lra.
Qed.

(** needed: Scores.log_loss_proper, 0 < p: the forecast 0 (with Coq's [ln 0 = 0]). *)
Theorem log_loss_needs_inside : ~ (forall q p, 0 <= q <= 1 -> p < 1 -> p <> q -> 0 < divergence q p).
Proof.
move=> /(_ (/ 2) 0 ltac:(lra) ltac:(lra) ltac:(lra)); rewrite /divergence.
have z : ln 0 = 0 by rewrite /ln; case: Rlt_dec => // h; case: (Rlt_irrefl _ h).
have -> : 1 - / 2 = / 2 by field.
rewrite z !Rminus_0_r ln_1 ?Rminus_0_r.
by have := ln_increasing (/ 2) 1 ltac:(lra) ltac:(lra); rewrite ln_1; lra.
Qed.

(** needed: Groups.balance_in_two_groups, different odds. *)
Theorem balance_needs_different_odds : ~ (forall o1 o2 A B : R,
  B = o1 * (1 - A) -> B = o2 * (1 - A) -> A = 1 /\ B = 0).
Proof. by move=> /(_ 1 1 (/ 2) (/ 2) ltac:(lra) ltac:(lra)); lra. Qed.

(** needed: Groups.rates_in_two_groups, PPV below 1: no group has a false alarm. *)
Theorem rates_need_errors : ~ (forall o1 o2 ppv fnr : R, o1 <> o2 -> 0 < ppv -> fnr < 1 ->
  o1 * ((1 - ppv) / ppv) * (1 - fnr) <> o2 * ((1 - ppv) / ppv) * (1 - fnr)).
Proof. by move=> /(_ 1 2 1 0 ltac:(lra) ltac:(lra) ltac:(lra)); apply; field. Qed.

(** needed: Decisions.best_policy, probabilities of mailing: mail twice. *)
Theorem policy_needs_probabilities : ~ (forall (X : finType) (m r a : X -> R) (c : R) (f : X -> R),
  (forall x, 0 <= m x) -> (forall x, 0 <= f x) -> profit m r a c f <= profit m r a c (mail_where a c r)).
Proof.
move=> /(_ [finType of unit] (fun=> 1) (fun=> 1) (fun=> 1) 0 (fun=> 2) (fun=> ltac:(lra)) (fun=> ltac:(lra))).
by rewrite /profit !sum_unit /mail_where /ind; compare_all; lra.
Qed.

(** needed: Decisions.price_of_miscalibration, a >= 0: a negative gift. *)
Theorem price_needs_gifts : ~ (forall (X : finType) (m r a : X -> R) (c : R) (r' : X -> R),
  (forall x, 0 <= m x) ->
  \rsum_x m x * (Rabs (r x * a x - c) * Rabs (differs r a c r' x)) <=
    \rsum_x m x * (a x * Rabs (r' x - r x))).
Proof.
move=> /(_ [finType of unit] (fun=> 1) (fun=> 1) (fun=> -1) (- / 2) (fun=> 0) (fun=> ltac:(lra))).
rewrite !sum_unit /differs /mail_where /ind; compare_all; try lra.
by rewrite /Rabs; compare_all; lra.
Qed.

(** needed: Auc.increasing_keeps_AUC, strictly: a constant map. *)
Theorem increasing_needs_strictly : ~ (forall (C : finType) (f1 f0 T : C -> R) (g : R -> R),
  (forall x y, x < y -> g x <= g y) -> AUC f1 f0 (fun c => g (T c)) = AUC f1 f0 T).
Proof.
move=> /(_ [finType of bool] ind (fun b => ind (~~ b)) ind (fun=> 0) (fun _ _ _ => Rle_refl _)).
by rewrite /AUC !sum_bool /ind /credit /=; compare_all; lra.
Qed.

(** needed: Auc.posterior_is_best, 0 < p: without positives all posteriors are 0. *)
Theorem posterior_needs_prevalence : ~ (forall (C : finType) (f1 f0 : C -> R) (p : R) (T : C -> R),
  (forall c, 0 <= f1 c) -> (forall c, 0 <= f0 c) -> \rsum_c f1 c = 1 -> \rsum_c f0 c = 1 -> p < 1 ->
  AUC f1 f0 T <= AUC f1 f0 (posterior f1 f0 p)).
Proof.
move=> /(_ [finType of bool] ind (fun b => ind (~~ b)) 0 ind) h.
have {}h : AUC ind (fun b => ind (~~ b)) ind <= AUC ind (fun b => ind (~~ b)) (posterior ind (fun b => ind (~~ b)) 0).
  by apply: h; rewrite ?sum_bool /= ?/ind; try lra; case=> /=; lra.
move: h; rewrite /AUC !sum_bool /posterior /ind /credit /=.
have -> : 0 * 1 / (0 * 1 + (1 - 0) * 0) = 0 by rewrite Rmult_0_l /Rdiv Rmult_0_l.
have -> : 0 * 0 / (0 * 0 + (1 - 0) * 1) = 0 by rewrite Rmult_0_l /Rdiv Rmult_0_l.
by compare_all; lra.
Qed.

(** needed: Isotonic.isotonic_log_loss, finite_loss of the rival (with Coq's [ln 0 = 0]): one place
    with a positive and a negative, and the forecast 0. *)
Theorem log_loss_needs_finite : ~ (forall n w s p q, (forall i, (i < n)%N -> 0 < w i) ->
  certified n w s p -> (forall i, (i < n)%N -> 0 <= s i <= w i) -> nondecreasing n q ->
  log_loss n w s p <= log_loss n w s q).
Proof.
move=> h; have := h 1%N (fun=> 2) (fun=> 1) (fun=> / 2) (fun=> 0).
move=> /(_ (fun _ _ => ltac:(lra)) _ (fun _ _ => ltac:(lra)) (fun _ _ => Rle_refl _)) => {}h.
have {}h : log_loss 1 (fun=> 2) (fun=> 1) (fun=> / 2) <= log_loss 1 (fun=> 2) (fun=> 1) (fun=> 0).
  apply: h; split=> //; try by case.
  - by move=> i _; elim: i => [|i IH]; rewrite /slack /=; [lra|move: IH; rewrite /slack; lra].
  - by rewrite /slack /=; field.
have z : ln 0 = 0 by rewrite /ln; case: Rlt_dec => // l; case: (Rlt_irrefl _ l).
move: h; rewrite /log_loss /= z !Rminus_0_r ln_1; have -> : 1 - / 2 = / 2 by field.
by have := ln_increasing (/ 2) 1 ltac:(lra) ltac:(lra); rewrite ln_1; lra.
Qed.

(** needed: Average.mixture_bounds, weights that add up to 1: the weight 2 of a single member. *)
Theorem mixture_needs_weights : ~ (forall (K : finType) (w : K -> R) (q : nat -> K -> R),
  (forall k, 0 < w k) -> (forall t k, 0 < q t k) ->
  forall n k, - ln (\rsum_k weight w q n k) <= total_loss q k n ->
  forall m, (forall k, m <= total_loss q k n) -> m <= - ln (\rsum_k weight w q n k)).
Proof.
move=> /(_ [finType of unit] (fun=> 2) (fun _ _ => 1) (fun=> ltac:(lra)) (fun _ _ => ltac:(lra)) 0%N tt) h.
have e : \rsum_k weight (fun _ : unit => 2) (fun _ _ => 1) 0 k = 2.
  by rewrite sum_unit /weight /total_loss /= Ropp_0 exp_0; ring.
have l2 : 0 < ln 2 by rewrite -ln_1; apply: ln_increasing; lra.
rewrite e /total_loss /= in h; have := h ltac:(lra) 0 (fun=> ltac:(lra)); lra.
Qed.

(** needed: Sequential.ever_replaced, calibrated: the label is sure to be 1, the map says 1/2 and the
    challenger 3/4. *)
Theorem guard_needs_calibration : ~ (forall (W : finType) (P : law W) n (z : nat -> W -> bool)
    (S : Type) (see : nat -> W -> S) (p q : nat -> S -> R) alpha,
  (forall t s, 0 < p t s < 1) -> (forall t s, 0 < q t s < 1) -> 0 < alpha ->
  Pr P (reached z see p q (1 / alpha) n) <= alpha).
Proof.
move=> /(_ [finType of unit] sure 1%N (fun _ _ => true) unit (fun _ _ => tt) (fun _ _ => / 2) (fun _ _ => 3 / 4) (2 / 3)).
move=> /(_ (fun _ _ => ltac:(lra)) (fun _ _ => ltac:(lra)) ltac:(lra)).
rewrite /Pr /E sum_unit /= /factor; case: lebP => [_|]; last by case; lra.
by rewrite /ind /=; lra.
Qed.

(** needed: Decisions.holm, p values of true hypotheses: a p value that is always 0. *)
Theorem holm_needs_p_values : ~ (forall (W : finType) (P : law W) (m : nat) (p : W -> 'I_m -> R)
    (order : W -> 'I_m -> 'I_m) (true_ones : pred 'I_m) (alpha : R),
  (forall w, injective (order w)) ->
  (forall w (r s : 'I_m), (r <= s)%N -> p w (order w r) <= p w (order w s)) -> 0 <= alpha ->
  Pr P (fun w => [exists i, true_ones i && rejected p order alpha w i]) <= alpha).
Proof.
move=> h; have := h _ sure 1%N (fun _ _ => 0) (fun _ i => i) (fun=> true) (/ 2).
move=> /(_ (fun _ _ _ e => e) (fun _ _ _ _ => Rle_refl _) ltac:(lra)).
rewrite /Pr /E sum_unit; set b := [exists i, _]; have -> : b = true; last by rewrite /ind /=; lra.
apply/existsP; exists ord0; apply/existsP; exists ord0; rewrite eqxx /=.
apply/forallP => s; apply/implyP => _; apply/lebP; rewrite ord1 /=; lra.
Qed.

(** A sequence whose first label is sure to be 0 and whose last one is sure to be 1. *)
Definition zero_one : sequence [finType of unit] 1 := [ffun i => (tt, i == ord_max)].
Lemma zero_one_ge0 (v : sequence [finType of unit] 1) : 0 <= ind (v == zero_one).
Proof. by rewrite /ind; case: ifP; lra. Qed.
Lemma zero_one_sum : \rsum_(v : sequence [finType of unit] 1) ind (v == zero_one) = 1.
Proof.
rewrite (bigD1 zero_one) //= big1 => [|v /negbTE ->]; last by [].
by rewrite eqxx /ind; ring.
Qed.
Definition zero_one_law : law [finType of sequence [finType of unit] 1] := Law zero_one_ge0 zero_one_sum.

(** needed: Venn.venn_valid, exchangeable: the first label is sure to be 0, the last one is sure to be
    1, and all are in one class. *)
Theorem venn_needs_exchangeability : ~ (forall (X : finType) (N : nat)
    (same : sequence X N -> rel 'I_N.+1), (forall v, equivalence_rel (same v)) -> equivariant same ->
  forall (P : law [finType of sequence X N]) (h : R -> R),
  E P (fun v => (ind (label v ord_max) - selected same v) * h (selected same v)) = 0).
Proof.
move=> /(_ [finType of unit] 1%N (fun _ _ _ => true)) h.
have := h (fun _ _ _ _ => conj isT (fun _ => erefl)) (fun _ _ _ _ _ => erefl) zero_one_law (fun=> 1).
rewrite /E (bigD1 zero_one) //= big1 => [|v /negbTE ne]; last by rewrite /= ne /ind; ring.
rewrite eqxx selected_mean /class_mean /class_size /label !big_ord_recl !big_ord0 !ffunE /ind /=.
lra.
Qed.
