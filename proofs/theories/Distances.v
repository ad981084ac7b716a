(** Distances to calibration of predictions that are right on average. *)
From Calibration Require Import Fin Scores.

Section Grid.
(** Values [s 0 < s 1 < ..] of a grid up to the place [n]. *)
Variables (s : nat -> R) (n : nat).
Hypothesis s_incr : forall j, (j < n)%N -> s j <= s j.+1.

Lemma rise_after a m : (a <= m)%N ->
  prefix (fun j => ind (a <= j)%N * (s j.+1 - s j)) m = s m - s a.
Proof.
elim: m => [|m IH]; first by rewrite leqn0 => /eqP ->; rewrite /=; ring.
rewrite leq_eqVlt => /orP[/eqP ->|le].
  rewrite (prefix_ext (g := fun=> 0)); last first.
    by move=> j hj; rewrite leqNgt hj /ind /=; ring.
  rewrite Rminus_diag_eq //; elim: m.+1 => //= k ->; ring.
by rewrite /= IH //; move: le; rewrite ltnS => ->; rewrite /ind; ring.
Qed.

(** What lies between two places of the grid is as long as they are apart. *)
Lemma between g h : (g <= n)%N -> (h <= n)%N ->
  prefix (fun j => Rabs (ind (g <= j)%N - ind (h <= j)%N) * (s j.+1 - s j)) n = Rabs (s g - s h).
Proof.
move=> gn hn; wlog le : g h gn hn / (g <= h)%N.
  move=> sym; case/orP: (leq_total g h) => le; first exact: sym.
  rewrite Rabs_minus_sym -sym //; apply: prefix_ext => j _; congr (_ * _); exact: Rabs_minus_sym.
have one j : Rabs (ind (g <= j)%N - ind (h <= j)%N) = ind (g <= j)%N - ind (h <= j)%N.
  apply: Rabs_pos_eq; case hj: (h <= j)%N; first by rewrite (leq_trans le hj) /ind; lra.
  by have := ind_range (g <= j)%N; rewrite /ind; case: ifP => _; lra.
rewrite (prefix_ext (g := fun j => ind (g <= j)%N * (s j.+1 - s j) - ind (h <= j)%N * (s j.+1 - s j))).
  rewrite prefix_sub !rise_after //; have -> : s n - s g - (s n - s h) = - (s g - s h) by ring.
  rewrite -Rabs_Ropp; symmetry; apply: Rabs_pos_eq.
  have up m : (m <= n)%N -> (g <= m)%N -> s g <= s m.
    elim: m => [|m IH] mn; first by rewrite leqn0 => /eqP ->; lra.
    rewrite leq_eqVlt => /orP[/eqP ->|]; first lra.
    by rewrite ltnS => gm; have := IH (ltnW mn) gm; have := s_incr mn; lra.
  by have := up h hn le; lra.
by move=> j _; rewrite one; ring.
Qed.
End Grid.

Section RightOnAverage.
(** Case [w], drawn with the law [P], has the label [z w], the prediction at the place [g w] of the
    grid, between the places [first] and [last], and a calibrated [v w] at the place [h w]. *)
Variables (s : nat -> R) (n first last : nat).
Hypothesis s_incr : forall j, (j < n)%N -> s j < s j.+1.
Variables (W : finType) (P : law W) (z : W -> bool) (g h : W -> nat).
Hypotheses (first_last : (first <= last)%N) (last_n : (last <= n)%N).
Hypothesis g_range : forall w, (first <= g w <= last)%N.
Hypothesis h_range : forall w, (h w <= n)%N.
Hypothesis s_range : forall j, (j <= n)%N -> 0 <= s j <= 1.
Let p w := s (g w).
Let v w := s (h w).
Hypothesis v_calibrated : calibrated P z v.
Hypothesis right_on_average : E P (fun w => ind (z w) - p w) = 0.
(** The path of the residuals, and the area under its size. *)
Definition residuals j := E P (fun w => (ind (z w) - p w) * ind (g w <= j)%N).
Definition area := prefix (fun j => Rabs (residuals j) * (s j.+1 - s j)) n.
Definition moved := E P (fun w => Rabs (v w - p w)).

Lemma s_lt i j : (i < j)%N -> (j <= n)%N -> s i < s j.
Proof.
elim: j => // j IH; rewrite ltnS leq_eqVlt => /orP[/eqP ->|ij] jn; first exact: s_incr.
by have := IH ij (ltnW jn); have := s_incr jn; lra.
Qed.

Lemma below w j : (j <= n)%N -> ind (h w <= j)%N = ind (leb (v w) (s j)).
Proof.
move=> jn; congr ind; apply/idP/lebP; rewrite /v.
  by rewrite leq_eqVlt => /orP[/eqP ->|lt]; [lra|left; exact: s_lt].
by move=> le; rewrite leqNgt; apply/negP => lt; have := s_lt lt (h_range w); lra.
Qed.

Lemma half_moved (A : pred W) : Rabs (E P (fun w => (v w - p w) * ind (A w))) <= moved / 2.
Proof.
have zero : E P (fun w => v w - p w) = 0.
  have c := v_calibrated (fun=> 1); rewrite -right_on_average.
  have e : E P (fun w => (ind (z w) - v w) * 1) = E P (fun w => ind (z w) - p w) - E P (fun w => v w - p w).
    by rewrite -E_sub; apply: E_ext => w; ring.
  by rewrite e in c; lra.
have twice : 2 * E P (fun w => (v w - p w) * ind (A w)) =
    E P (fun w => (v w - p w) * (2 * ind (A w) - 1)).
  rewrite -[LHS]Rminus_0_r -zero -E_scal -E_sub; apply: E_ext => w; ring.
have le : Rabs (E P (fun w => (v w - p w) * (2 * ind (A w) - 1))) <= moved.
  rewrite /moved; apply: Rabs_le; split.
    rewrite -E_opp; apply: E_le => w; rewrite /ind; have := Rle_abs (v w - p w).
    by have := Rle_abs (- (v w - p w)); rewrite Rabs_Ropp; case: (A w); lra.
  apply: E_le => w; rewrite /ind; have := Rle_abs (v w - p w).
  by have := Rle_abs (- (v w - p w)); rewrite Rabs_Ropp; case: (A w); lra.
by rewrite -twice Rabs_mult (Rabs_pos_eq 2) in le; lra.
Qed.

(** label: prop-c33-average, part 1: the area in the place of smCE. *)
Theorem area_le_moved : area <= (1 + (s last - s first) / 2) * moved.
Proof.
pose differ j := E P (fun w => Rabs (ind (g w <= j)%N - ind (h w <= j)%N)).
pose inside j := ind ((first <= j) && (j < last))%N.
have rise j : (j < n)%N -> 0 <= s j.+1 - s j by move=> jn; have := s_incr jn; lra.
have one j : (j < n)%N -> Rabs (residuals j) <= differ j + inside j * (moved / 2).
  move=> jn; have c : E P (fun w => (ind (z w) - v w) * ind (h w <= j)%N) = 0.
    rewrite -[RHS](v_calibrated (fun x => ind (leb x (s j)))); apply: E_ext => w.
    by rewrite below // ltnW.
  have e : residuals j = E P (fun w => (ind (z w) - p w) * (ind (g w <= j)%N - ind (h w <= j)%N))
      + E P (fun w => (v w - p w) * ind (h w <= j)%N).
    by rewrite -[LHS]Rminus_0_r -c /residuals -E_sub -E_add; apply: E_ext => w; ring.
  have d : Rabs (E P (fun w => (ind (z w) - p w) * (ind (g w <= j)%N - ind (h w <= j)%N))) <= differ j.
    apply: Rle_trans (sum_abs _ _) _; apply: sum_le => w _.
    rewrite Rabs_mult (Rabs_pos_eq (P w)); last exact: mass_ge0.
    apply: Rmult_le_compat_l; first exact: mass_ge0.
    rewrite Rabs_mult -[X in _ <= X]Rmult_1_l; apply: Rmult_le_compat_r; first exact: Rabs_pos.
    have r := s_range (leq_trans (proj2 (andP (g_range w))) last_n).
    by rewrite /p /ind; apply: Rabs_le; case: (z w); move: r; clear; lra.
  have d0 : 0 <= differ j by apply: E_ge0 => w; exact: Rabs_pos.
  rewrite /inside; case: (leqP first j) => fj /=; last first.
    have -> : residuals j = 0; last by rewrite Rabs_R0 /ind /=; lra.
    rewrite /residuals -(E_const P 0); apply: E_ext => w.
    have [gw _] := andP (g_range w); rewrite leqNgt (leq_trans fj gw) /ind /=; ring.
  case: (ltnP j last) => jl.
    have one_is : ind true = 1 by [].
    rewrite e one_is; apply: Rle_trans (Rabs_triang _ _) _.
    by have := half_moved (fun w => h w <= j)%N; lra.
  have -> : residuals j = 0; last by rewrite Rabs_R0 /ind /=; lra.
  rewrite -[RHS]right_on_average; apply: E_ext => w.
  by have [_ gw] := andP (g_range w); rewrite (leq_trans gw jl) /ind; ring.
have m0 : 0 <= moved by apply: E_ge0 => w; exact: Rabs_pos.
apply: Rle_trans (_ : prefix (fun j => differ j * (s j.+1 - s j)
    + moved / 2 * (inside j * (s j.+1 - s j))) n <= _).
  apply: prefix_le => j jn; have := one j jn; have := rise j jn => r0 le.
  by have := Rmult_le_compat_r _ _ _ r0 le; lra.
rewrite prefix_add prefix_scal.
have -> : prefix (fun j => differ j * (s j.+1 - s j)) n = moved.
  have -> : prefix (fun j => differ j * (s j.+1 - s j)) n = E P (fun w =>
      prefix (fun j => Rabs (ind (g w <= j)%N - ind (h w <= j)%N) * (s j.+1 - s j)) n).
    elim: n => [|m IH] /=; first by rewrite E_const.
    by rewrite IH E_add /differ [E P (fun t => _ * _)](E_ext P (Y := fun t => (s m.+1 - s m) *
      Rabs (ind (g t <= m)%N - ind (h t <= m)%N))) ?E_scal => [|t]; ring.
  apply: E_ext => w; rewrite between //.
  - by rewrite /v /p Rabs_minus_sym.
  - by move=> j jn; left; exact: s_incr.
  - by apply: leq_trans last_n; case/andP: (g_range w).
have -> : prefix (fun j => inside j * (s j.+1 - s j)) n = s last - s first; last lra.
rewrite (prefix_ext (g := fun j => ind (first <= j)%N * (s j.+1 - s j) - ind (last <= j)%N * (s j.+1 - s j))).
  by rewrite prefix_sub !rise_after //; [ring|exact: leq_trans last_n].
move=> j jn; rewrite /inside ltnNge; case lj: (last <= j)%N.
  by rewrite (leq_trans first_last lj) /ind /=; ring.
by rewrite andbT /ind /=; case: ifP => _; ring.
Qed.
End RightOnAverage.

Section TwoValues.
(** The values [s1 < s2] with the shares [w1] and [w2] and the truths [t1] and [t2]. *)
Variables (s1 s2 w1 w2 t1 t2 : R).
Hypotheses (w1_ge0 : 0 <= w1) (w2_ge0 : 0 <= w2) (w_sum : w1 + w2 = 1) (s_lt : s1 < s2).
Hypothesis balanced : w1 * (t1 - s1) + w2 * (t2 - s2) = 0.
Let fraction := w1 * t1 + w2 * t2.
(** What it costs to move each value to its truth, or both to the common truth. *)
Definition apart := w1 * Rabs (t1 - s1) + w2 * Rabs (t2 - s2).
Definition joined := w1 * Rabs (fraction - s1) + w2 * Rabs (fraction - s2).
Definition area_of_two := Rabs (w1 * (t1 - s1)) * (s2 - s1).

Lemma apart_is : apart = 2 * Rabs (w1 * (t1 - s1)).
Proof.
have e : w2 * Rabs (t2 - s2) = Rabs (w1 * (t1 - s1)).
  rewrite -[w2 in LHS]Rabs_pos_eq // -Rabs_mult.
  have -> : w2 * (t2 - s2) = - (w1 * (t1 - s1)) by lra.
  exact: Rabs_Ropp.
by rewrite /apart e Rabs_mult (Rabs_pos_eq w1) //; ring.
Qed.

Lemma joined_is : joined = 2 * (w1 * w2) * (s2 - s1).
Proof.
have up : fraction - s1 = w2 * (s2 - s1).
  have -> : w2 * (s2 - s1) = w1 * s1 + w2 * s2 - (w1 + w2) * s1 by ring.
  by rewrite w_sum /fraction; lra.
have down : fraction - s2 = - (w1 * (s2 - s1)).
  have -> : - (w1 * (s2 - s1)) = w1 * s1 + w2 * s2 - (w1 + w2) * s2 by ring.
  by rewrite w_sum /fraction; lra.
rewrite /joined up down Rabs_Ropp !Rabs_pos_eq; [ring| |]; by apply: Rmult_le_pos; lra.
Qed.

(** label: prop-c33-average, part 3: the area in the place of smCE. *)
Theorem two_values : Rmin apart joined <= sqrt area_of_two /\
  (w1 = 1 / 2 -> Rabs (t1 - s1) = (s2 - s1) / 2 -> Rmin apart joined = sqrt area_of_two).
Proof.
set a := Rabs (w1 * (t1 - s1)); have a0 : 0 <= a by exact: Rabs_pos.
have A : area_of_two = a * (s2 - s1) by [].
have quarter : 4 * (w1 * w2) <= 1.
  have -> : 4 * (w1 * w2) = Rsqr (w1 + w2) - Rsqr (w1 - w2) by rewrite /Rsqr; ring.
  by have := Rsqr_ge0 (w1 - w2); rewrite w_sum /Rsqr; lra.
split=> [|half gap].
  have m0 : 0 <= Rmin apart joined.
    rewrite apart_is joined_is; apply: Rmin_glb; first by rewrite -/a; lra.
    by apply: Rmult_le_pos; last lra; have := Rmult_le_pos _ _ w1_ge0 w2_ge0; lra.
  rewrite -(sqrt_square _ m0) A; apply: sqrt_le_1_alt.
  have l1 := Rmin_l apart joined; have l2 := Rmin_r apart joined.
  apply: Rle_trans (Rmult_le_compat _ _ _ _ m0 m0 l1 l2) _.
  rewrite apart_is joined_is -/a.
  have -> : 2 * a * (2 * (w1 * w2) * (s2 - s1)) = 4 * (w1 * w2) * (a * (s2 - s1)) by ring.
  rewrite -[X in _ <= X]Rmult_1_l; apply: Rmult_le_compat_r => //.
  by apply: Rmult_le_pos; lra.
have ea : a = (s2 - s1) / 4 by rewrite /a Rabs_mult half gap Rabs_pos_eq; lra.
have e2 : w2 = 1 / 2 by lra.
rewrite apart_is joined_is -/a A ea half e2.
have -> : 2 * ((s2 - s1) / 4) = (s2 - s1) / 2 by field.
have -> : 2 * (1 / 2 * (1 / 2)) * (s2 - s1) = (s2 - s1) / 2 by field.
have -> : (s2 - s1) / 4 * (s2 - s1) = (s2 - s1) / 2 * ((s2 - s1) / 2) by field.
by rewrite Rmin_left ?sqrt_square //; lra.
Qed.
End TwoValues.
