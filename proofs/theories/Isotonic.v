(** Isotonic regression: a certificate that is necessary and sufficient, and what follows from it. *)
From Calibration Require Import Fin Scores.

(** Places 0, .., n-1 in the order of the score.  Place [i] has the weight [w i], any positive number,
    and the label sum [s i], so that its mean label is [s i / w i]. *)
Definition nondecreasing (n : nat) (p : nat -> R) := forall i, (i.+1 < n)%N -> p i <= p i.+1.

(** The slack after [i] places is their label sum less that of the fit.  The certificate: it is never
    negative, and it is 0 at the end and wherever the fit rises. *)
Definition slack (w s p : nat -> R) := prefix (fun i => s i - w i * p i).
Definition certified n (w s p : nat -> R) := [/\
  nondecreasing n p, forall i, (i <= n)%N -> 0 <= slack w s p i, slack w s p n = 0 &
  forall i, (i.+1 < n)%N -> p i < p i.+1 -> slack w s p i.+1 = 0].

Definition squares n (w s p : nat -> R) := prefix (fun i => w i * Rsqr (s i / w i - p i)) n.
Definition least_squares n (w s p : nat -> R) :=
  nondecreasing n p /\ forall q, nondecreasing n q -> squares n w s p <= squares n w s q.

(** There are [s i] positives and [w i - s i] negatives at place [i]. *)
Definition log_loss n (w s q : nat -> R) :=
  prefix (fun i => - (s i * ln (q i) + (w i - s i) * ln (1 - q i))) n.
(** The log loss of [q] is finite: 0 only where no case is positive, 1 only where none is negative.
    (Coq has [ln 0 = 0], so that the formula above is right for such [q], and for no other.) *)
Definition finite_loss n (w s q : nat -> R) := forall i, (i < n)%N ->
  0 <= q i <= 1 /\ (q i = 0 -> s i = 0) /\ (q i = 1 -> s i = w i).

Definition elementary_total n (w s : nat -> R) t (q : nat -> R) :=
  prefix (fun i => s i * elementary t (q i) true + (w i - s i) * elementary t (q i) false) n.
Definition brier_total n (w s q : nat -> R) :=
  prefix (fun i => s i * Rsqr (1 - q i) + (w i - s i) * Rsqr (q i)) n.

Section Optimal.
Variables (n : nat) (w s p : nat -> R).
Hypotheses (w_pos : forall i, (i < n)%N -> 0 < w i) (cert : certified n w s p).
Local Notation r := (fun i => s i - w i * p i).

(** The residuals have no positive product with an increasing sequence, and the product 0 with every
    function of the fit. *)
Lemma residual_increasing q : nondecreasing n q -> prefix (fun i => r i * q i) n <= 0.
Proof.
case: cert => _ ge0 last _ hq; case: n ge0 last hq => [|m] ge0 last hq; first by move=> /=; lra.
rewrite by_parts -[prefix _ m.+1]/(slack w s p m.+1) last.
have : 0 <= prefix (fun i => slack w s p i.+1 * (q i.+1 - q i)) m.
  apply: prefix_ge0 => i hi; apply: Rmult_le_pos; first by apply: ge0; exact: ltnW.
  by have := hq i hi; lra.
by rewrite /slack; lra.
Qed.

Lemma residual_fit (h : R -> R) : prefix (fun i => r i * h (p i)) n = 0.
Proof.
case: cert => mono _ last zero; case: n last mono zero => [|m] last mono zero //.
rewrite (by_parts r (fun i => h (p i))) -[prefix _ m.+1]/(slack w s p m.+1) last.
rewrite (@prefix_ext _ (fun=> 0 * 0)) ?prefix_scal; first by ring.
move=> i hi; case: (Rle_lt_or_eq_dec _ _ (mono i hi)) => [lt|->]; last by ring.
by rewrite -[prefix _ i.+1]/(slack w s p i.+1) zero //; ring.
Qed.

(** label: lem-c6-pav, part 1, for the certified fit: each value is the mean label of its level set. *)
Theorem values_are_means v :
  prefix (fun i => ind (eqb (p i) v) * s i) n = v * prefix (fun i => ind (eqb (p i) v) * w i) n.
Proof.
have e := residual_fit (fun x => ind (eqb x v)); rewrite -prefix_scal.
have -> : prefix (fun i => ind (eqb (p i) v) * s i) n =
  prefix (fun i => r i * ind (eqb (p i) v)) n + prefix (fun i => v * (ind (eqb (p i) v) * w i)) n.
  by rewrite -prefix_add; apply: prefix_ext => i _; case: eqbP => [->|_]; rewrite /ind; ring.
by rewrite e; ring.
Qed.

(** label: thm-c6-likelihood, sum of squares: the excess is at least the distance from the fit. *)
Theorem isotonic_squares q : nondecreasing n q ->
  squares n w s p + prefix (fun i => w i * Rsqr (p i - q i)) n <= squares n w s q.
Proof.
move=> hq; have hr := residual_increasing hq; have hp := residual_fit (fun x => x).
have -> : squares n w s q = squares n w s p + prefix (fun i => w i * Rsqr (p i - q i)) n
  + (2 * prefix (fun i => r i * p i) n + -2 * prefix (fun i => r i * q i) n).
  rewrite /squares -!prefix_scal -!prefix_add; apply: prefix_ext => i hi.
  by have := w_pos hi => p0; rewrite /Rsqr; field; lra.
by rewrite hp; lra.
Qed.

(** label: thm-isotonic-wins, first sentence: every threshold, every increasing function. *)
Theorem isotonic_wins t f : nondecreasing n f ->
  elementary_total n w s t p <= elementary_total n w s t f.
Proof.
move=> hf; pose a (q : nat -> R) i := ind (ltb t (q i)).
have e q : elementary_total n w s t q = (1 - t) * prefix s n - prefix (fun i => (s i - t * w i) * a q i) n.
  rewrite -prefix_scal -prefix_sub; apply: prefix_ext => i _.
  by rewrite !elementary_alarm /a /ind; ring.
have inc : nondecreasing n (a f).
  by move=> i hi; have := hf i hi; rewrite /a /ind; compare_all; lra.
have h1 := residual_increasing inc; have h2 := residual_fit (fun x => ind (ltb t x)).
rewrite !e; suff : prefix (fun i => (s i - t * w i) * a f i) n <= prefix (fun i => (s i - t * w i) * a p i) n by lra.
have d q : prefix (fun i => (s i - t * w i) * a q i) n =
    prefix (fun i => r i * a q i) n + prefix (fun i => w i * ((p i - t) * a q i)) n.
  by rewrite -prefix_add; apply: prefix_ext => i _; ring.
rewrite !d -/(a p) h2; suff : prefix (fun i => w i * ((p i - t) * a f i)) n <=
  prefix (fun i => w i * ((p i - t) * a p i)) n by lra.
apply: prefix_le => i hi; apply: Rmult_le_compat_l; first by left; exact: w_pos.
by rewrite /a /ind; compare_all; lra.
Qed.

(** label: prop-c30-brier: the predictions [q], in order, and the excess of their Brier score. *)
Theorem brier_excess q : (0 < n)%N ->
  brier_total n w s q - brier_total n w s p =
  prefix (fun i => w i * Rsqr (p i - q i)) n
  + 2 * prefix (fun i => slack w s p i.+1 * (q i.+1 - q i)) n.-1.
Proof.
move=> n0; have hp := residual_fit (fun x => x).
have h : prefix (fun i => r i * q i) n = - prefix (fun i => slack w s p i.+1 * (q i.+1 - q i)) n.-1.
  case: cert => _ _ last _; case: n n0 last => // m _ last.
  by rewrite by_parts -[prefix _ m.+1]/(slack w s p m.+1) last /slack /=; ring.
have -> : brier_total n w s q - brier_total n w s p = prefix (fun i => w i * Rsqr (p i - q i)) n
  + (2 * prefix (fun i => r i * p i) n + -2 * prefix (fun i => r i * q i) n).
  by rewrite -!prefix_scal -!prefix_add -prefix_sub; apply: prefix_ext => i hi; rewrite /Rsqr; ring.
by rewrite hp h; ring.
Qed.

(** label: thm-c30-corp, parts 1 and 2 for the Brier score: [q] are the predictions, in order, and [c]
    is any constant, such as the base rate. *)
Theorem corp q c : nondecreasing n q -> (0 < n)%N ->
  let MCB := brier_total n w s q - brier_total n w s p in
  let DSC := brier_total n w s (fun=> c) - brier_total n w s p in
  [/\ brier_total n w s q = MCB - DSC + brier_total n w s (fun=> c), 0 <= MCB, 0 <= DSC,
      MCB = 0 -> forall i, (i < n)%N -> p i = q i & DSC = 0 -> forall i, (i < n)%N -> p i = c].
Proof.
move=> hq n0 MCB DSC.
have pos x : nondecreasing n x -> let excess := brier_total n w s x - brier_total n w s p in
    0 <= excess /\ (excess = 0 -> forall i, (i < n)%N -> p i = x i).
  move=> hx /=; rewrite brier_excess //.
  have d0 i : (i < n)%N -> 0 <= w i * Rsqr (p i - x i).
    by move=> hi; apply: Rmult_le_pos; [left; exact: w_pos|exact: Rsqr_ge0].
  have e0 : 0 <= prefix (fun i => slack w s p i.+1 * (x i.+1 - x i)) n.-1.
    apply: prefix_ge0 => i hi; have hi' : (i.+1 < n)%N by move: hi; case: n n0.
    case: cert => _ ge0 _ _; apply: Rmult_le_pos; first by apply: ge0; exact: ltnW.
    by have := hx i hi'; lra.
  have s0 := prefix_ge0 d0; split; first lra.
  move=> z i hi; have := prefix_zero (f := fun i => w i * Rsqr (p i - x i)) d0 ltac:(lra) hi.
  by case/Rmult_integral => [|/Rsqr_0_uniq]; have := w_pos hi; lra.
have [m0 m1] := pos q hq; have [d0 d1] := pos (fun=> c) (fun _ _ => Rle_refl _).
by split=> //; rewrite /MCB /DSC; ring.
Qed.

Hypothesis s_range : forall i, (i < n)%N -> 0 <= s i <= w i.

(** The fit is inside [0, 1]: cutting it off there would be no worse, and it is the only best one. *)
Lemma fit_range i : (i < n)%N -> 0 <= p i <= 1.
Proof.
pose q i := Rmax 0 (Rmin 1 (p i)); have q01 j : 0 <= q j <= 1.
  by split; [exact: Rmax_l|apply: Rmax_lub; [lra|exact: Rmin_l]].
have mq : nondecreasing n q.
  by case: cert => mono _ _ _ j hj; apply: Rle_max_compat_l; apply: Rle_min_compat_l; exact: mono.
have d0 j : (j < n)%N -> 0 <= w j * Rsqr (p j - q j).
  by move=> hj; apply: Rmult_le_pos; [left; exact: w_pos|exact: Rsqr_ge0].
have le : squares n w s q <= squares n w s p.
  apply: prefix_le => j hj; apply: Rmult_le_compat_l; first by left; exact: w_pos.
  have m : 0 <= s j / w j <= 1.
    have w0 := w_pos hj; have := s_range hj => sr; split.
      by apply: Rmult_le_pos; [lra|left; exact: Rinv_0_lt_compat].
    by apply: (Rmult_le_reg_r (w j)); [|rewrite /Rdiv Rmult_assoc Rinv_l; lra].
  by rewrite /q /Rsqr /Rmax /Rmin; case: (Rle_dec 1 (p j)) => ?; case: (Rle_dec 0 _) => ?; nra.
move=> hi; have z := prefix_zero d0 ltac:(have := isotonic_squares mq; lra) hi.
have -> : p i = q i by case: (Rmult_integral _ _ z) => [|/Rsqr_0_uniq]; have := w_pos hi; lra.
exact: q01.
Qed.

(** Where the fit is certain, it is right: its log loss is finite. *)
Lemma certain_blocks : finite_loss n w s p.
Proof.
move=> i hi; split; first exact: fit_range.
have zero v (f : nat -> R) : (forall j, (j < n)%N -> 0 <= f j) ->
  prefix (fun j => ind (eqb (p j) v) * f j) n = 0 -> p i = v -> f i = 0.
  move=> f0 z e; have := prefix_zero (f := fun j => ind (eqb (p j) v) * f j) (n := n).
  move=> /(_ _ _ i hi) h; have : ind (eqb (p i) v) * f i = 0.
    by apply: h => [j hj|]; [have := f0 j hj; rewrite /ind; case: ifP; lra|lra].
  by case: eqbP => // _; rewrite /ind; lra.
split.
- apply: (zero 0 s) => [j hj|]; first by have := s_range hj; lra.
  by rewrite values_are_means; ring.
- move=> e; suff : w i - s i = 0 by lra.
  apply: (zero 1 (fun j => w j - s j)) e => [j hj|]; first by have := s_range hj; lra.
  have m := values_are_means 1.
  have -> : prefix (fun j => ind (eqb (p j) 1) * (w j - s j)) n =
    prefix (fun j => ind (eqb (p j) 1) * w j) n - prefix (fun j => ind (eqb (p j) 1) * s j) n.
    by rewrite -prefix_sub; apply: prefix_ext => j _; ring.
  by rewrite m; ring.
Qed.

Lemma log_loss_inside q : nondecreasing n q -> (forall i, (i < n)%N -> 0 < q i < 1) ->
  log_loss n w s p <= log_loss n w s q.
Proof.
move=> hq q01; pose logit x := ln x - ln (1 - x).
have hl : nondecreasing n (fun i => logit (q i)).
  move=> i hi; have a := q01 i (ltnW hi); have b := q01 _ hi; have le := hq i hi.
  have l1 : ln (q i) <= ln (q i.+1) by case: le => [lt|->]; [left; apply: ln_increasing; lra|lra].
  have l2 : ln (1 - q i.+1) <= ln (1 - q i).
    by case: le => [lt|->]; [left; apply: ln_increasing; lra|lra].
  by rewrite /logit; lra.
have hr := residual_increasing hl; have hp := residual_fit logit.
have div : 0 <= prefix (fun i => w i * divergence (p i) (q i)) n.
  apply: prefix_ge0 => i hi; apply: Rmult_le_pos; first by have := w_pos hi; lra.
  by apply: divergence_ge0; [exact: fit_range|exact: q01].
have : log_loss n w s q = log_loss n w s p + (prefix (fun i => w i * divergence (p i) (q i)) n
   + (prefix (fun i => r i * logit (p i)) n + -1 * prefix (fun i => r i * logit (q i)) n)).
  by rewrite -!prefix_scal -!prefix_add; apply: prefix_ext => i hi; rewrite /logit /divergence; ring.
by rewrite hp; lra.
Qed.

(** label: thm-c6-likelihood, the likelihood, with blocks of value 0 and 1: the log loss of the fit is
    finite and at most that of every increasing [q] whose log loss is finite. *)
Theorem isotonic_log_loss q : nondecreasing n q -> finite_loss n w s q ->
  finite_loss n w s p /\ log_loss n w s p <= log_loss n w s q.
Proof.
move=> hq fq; split; first exact: certain_blocks.
have key e : 0 < e < / 2 -> log_loss n w s p <= log_loss n w s q + 2 * prefix w n * e.
  move=> he; pose c i := Rmax e (Rmin (1 - e) (q i)).
  have c01 i : e <= c i <= 1 - e.
    by split; [exact: Rmax_l|apply: Rmax_lub; [lra|exact: Rmin_l]].
  have mc : nondecreasing n c.
    by move=> i hi; apply: Rle_max_compat_l; apply: Rle_min_compat_l; exact: hq.
  apply: Rle_trans (log_loss_inside mc (fun i _ => ltac:(have := c01 i; lra))) _.
  have -> : 2 * prefix w n * e = prefix (fun i => 2 * e * w i) n by rewrite prefix_scal; ring.
  rewrite /log_loss -prefix_add; apply: prefix_le => i hi.
  have [q01 [z0 z1]] := fq i hi; have sr := s_range hi; have w0 := w_pos hi.
  have small : - ln (1 - e) <= 2 * e.
    rewrite -ln_Rinv; last lra.
    have t := ln_tangent (x := 1) (y := / (1 - e)) Rlt_0_1 (Rinv_0_lt_compat (1 - e) ltac:(lra)).
    rewrite ln_1 in t; have : / (1 - e) <= 1 + 2 * e; last lra.
    by apply: (Rmult_le_reg_r (1 - e)); [lra|rewrite Rinv_l; nra].
  have neg x : 0 < x <= 1 -> ln x <= 0.
    by move=> hx; rewrite -ln_1; case: (proj2 hx) => [lt|->]; [left; apply: ln_increasing; lra|lra].
  have lnmono x y : 0 < x -> x <= y -> ln x <= ln y.
    by move=> x0 [lt|->]; [left; exact: ln_increasing|lra].
  case: (Rlt_le_dec (q i) e) => [lo|ge].
    have -> : c i = e by rewrite /c Rmin_right; [apply: Rmax_left|]; lra.
    have n1 : ln (1 - q i) <= 0 by apply: neg; lra.
    have a : - (s i * ln e) <= - (s i * ln (q i)).
      case: (proj1 q01) => [qp|qz]; last by rewrite (z0 (esym qz)); lra.
      by have := lnmono _ _ qp (Rlt_le _ _ lo); nra.
    have b : - ((w i - s i) * ln (1 - e)) <= 2 * e * w i.
      have := Rmult_le_compat_l (w i - s i) _ _ ltac:(lra) small.
      have u : 0 <= 2 * e * s i by nra.
      lra.
    have d : 0 <= - ((w i - s i) * ln (1 - q i)) by nra.
    lra.
  case: (Rlt_le_dec (1 - e) (q i)) => [hi2|le].
    have -> : c i = 1 - e by rewrite /c Rmin_left; [apply: Rmax_right|]; lra.
    have n1 : ln (q i) <= 0 by apply: neg; lra.
    have a : - ((w i - s i) * ln (1 - (1 - e))) <= - ((w i - s i) * ln (1 - q i)).
      have -> : 1 - (1 - e) = e by ring.
      case: (proj2 q01) => [qp|qz]; last by rewrite (z1 qz); lra.
      by have := lnmono (1 - q i) e ltac:(lra) ltac:(lra); nra.
    have b : - (s i * ln (1 - e)) <= 2 * e * w i.
      have := Rmult_le_compat_l (s i) _ _ ltac:(lra) small.
      have u : 0 <= 2 * e * (w i - s i) by nra.
      lra.
    have d : 0 <= - (s i * ln (q i)) by nra.
    lra.
  have -> : c i = q i by rewrite /c Rmin_right ?Rmax_right; lra.
  have u : 0 <= 2 * e * w i by nra.
  lra.
have W0 : 0 <= prefix w n by apply: prefix_ge0 => i hi; left; exact: w_pos.
apply: Rnot_lt_le => lt; pose d := log_loss n w s p - log_loss n w s q.
pose e := Rmin (/ 4) (d / (4 * (prefix w n + 1))).
have d0 : 0 < d by rewrite /d; lra.
have e1 := Rmin_l (/ 4) (d / (4 * (prefix w n + 1))).
have e2 := Rmin_r (/ 4) (d / (4 * (prefix w n + 1))).
have e0 : 0 < e by apply: Rmin_glb_lt; [lra|apply: Rdiv_lt_0_compat; lra].
have := key e ltac:(rewrite -/e in e1; lra).
have : 2 * prefix w n * e <= d / 2.
  have := Rmult_le_compat_l (2 * (prefix w n + 1)) _ _ ltac:(lra) e2.
  have -> : 2 * (prefix w n + 1) * (d / (4 * (prefix w n + 1))) = d / 2 by field; lra.
  by rewrite -/e; lra.
rewrite /d; lra.
Qed.
End Optimal.
