(** Distances to calibration of predictions that are right on average. *)
From Calibration Require Import Fin Scores Grouping.

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

Section Orders.
(** Sums over the places of a cycle, and over the cuts of cells. *)
Lemma prefix_first f m : prefix f m.+1 = f 0%N + prefix (fun i => f i.+1) m.
Proof. by rewrite -add1n prefix_shift /= Rplus_0_l. Qed.

Lemma prefix_reverse f m : prefix (fun i => f (m - i)%N) m = prefix (fun i => f i.+1) m.
Proof.
elim: m => // m IH; rewrite prefix_first subn0 /= -IH Rplus_comm; congr (_ + _).
Qed.

Lemma prefix_cycle f a m : prefix (fun r => f ((a + r) %% m)%N) m = prefix f m.
Proof.
elim: a => [|a IH].
  by apply: prefix_ext => r rm; rewrite add0n modn_small.
case: m IH => // m IH; rewrite -IH [RHS]prefix_first addn0.
have -> : prefix (fun r => f ((a.+1 + r) %% m.+1)%N) m.+1 =
    prefix (fun r => f ((a + r.+1) %% m.+1)%N) m + f ((a + m.+1) %% m.+1)%N.
  by rewrite /= addSnnS; congr (_ + _); apply: prefix_ext => r _; rewrite addSnnS.
by rewrite modnDr Rplus_comm.
Qed.

Lemma prefix_cells f m k :
  prefix (fun r => prefix (fun j => f (j.+1 * m - r)%N) k) m = prefix (fun t => f t.+1) (k * m).
Proof.
elim: k => [|k IH]; first by rewrite mul0n /=; elim: m => //= m ->; ring.
rewrite /= prefix_add IH mulSn addnC prefix_shift; congr (_ + _).
have -> : prefix (fun r => f (k * m + m - r)%N) m = prefix (fun r => f (k * m + (m - r))%N) m.
  by apply: prefix_ext => r rm; rewrite addnBA // ltnW.
rewrite (prefix_reverse (fun i => f (k * m + i)%N)).
by apply: prefix_ext => i _; rewrite addnS.
Qed.

Lemma squares_of_places c m : prefix (fun i => Rsqr (INR i - c)) m =
  INR m * Rsqr c - c * (INR m * (INR m - 1)) + (INR m - 1) * INR m * (2 * INR m - 1) / 6.
Proof. by elim: m => [|m IH]; [rewrite /=; field|rewrite [LHS]/= IH S_INR /Rsqr; field]. Qed.

Lemma prefix_sum f m : prefix f m = \rsum_(i : 'I_m) f i.
Proof. by elim: m => [|m IH]; rewrite ?big_ord0 ?big_ord_recr //= IH. Qed.

Lemma exists_below f M m : (0 < m)%N -> prefix f m <= INR m * M -> exists r, (r < m)%N /\ f r <= M.
Proof.
case: m => // m _; elim: m => [|m IH] le; first by exists 0%N; split=> //; move: le; rewrite /=; lra.
case: (Rle_lt_dec (f m.+1) M) => [ok|bad]; first by exists m.+1.
have [|r [rm ok]] := IH; last by exists r; split=> //; exact: ltnW.
by move: le; rewrite [prefix f m.+2]/= -/(prefix f m.+1) [INR m.+2]S_INR; lra.
Qed.
End Orders.

Section Cells.
(** Case [w] has the prediction [h * g w], at the place [g w < n] of a grid.  Cells have [m] places
    each; the place [j] lies in cell [(j + r) / m] if the cuts are shifted by [r]. *)
Variables (n m : nat) (h : R) (W : finType) (P : law W) (z : W -> bool) (g : W -> nat).
Hypotheses (m_gt0 : (0 < m)%N) (h_gt0 : 0 < h) (g_range : forall w, (g w < n)%N).
Let p w := h * INR (g w).
Hypothesis right_on_average : E P (fun w => ind (z w) - p w) = 0.
(** The path of the residuals before place [t], and the area under its size. *)
Definition before t := E P (fun w => (ind (z w) - p w) * ind (g w < t)%N).
Definition area_on_grid := h * prefix (fun t => Rabs (before t.+1)) n.
Definition cell r w : 'I_n.+1 := inord ((g w + r) %/ m).
(** What it costs to give all cases of a cell their fraction of positives. *)
Definition cost r :=
  E P (fun w => Rabs (observed (cell r) P (fun w => ind (z w)) (cell r w) - p w)).

Lemma cell_val r w : (r < m)%N -> val (cell r w) = ((g w + r) %/ m)%N.
Proof.
move=> rm; rewrite /cell /= inordK // ltnS; apply: leq_trans (g_range w).
apply: leq_trans (leq_div2r m (leq_add (leqnn _) (ltnW rm))) _.
by rewrite divnDr ?dvdnn // divnn m_gt0 addn1 ltnS leq_div.
Qed.

Lemma in_cell r w (k : 'I_n.+1) : (r < m)%N ->
  ind (cell r w == k) = ind (g w < k.+1 * m - r)%N - ind (g w < k * m - r)%N.
Proof.
move=> rm; have -> : (cell r w == k) = ((g w + r) %/ m == k)%N by rewrite -cell_val.
have -> : ((g w + r) %/ m == k)%N = (k * m <= g w + r)%N && (g w + r < k.+1 * m)%N.
  by rewrite eqn_leq -ltnS -ltn_divLR // leq_divRL // andbC.
rewrite !ltn_subRL ![(r + _)%N]addnC.
have low : (g w + r < k * m)%N = ~~ (k * m <= g w + r)%N by rewrite ltnNge.
have next : (k * m <= g w + r)%N = false -> (g w + r < k.+1 * m)%N.
  by move/negbT; rewrite -ltnNge => lt; apply: leq_trans lt _; rewrite leq_pmul2r.
rewrite low; case: (k * m <= g w + r)%N next => /= next; first by rewrite /ind; case: ifP => _; ring.
by rewrite next // /ind; ring.
Qed.

Lemma cell_residuals r (k : 'I_n.+1) : (r < m)%N ->
  \rsum_(w | cell r w == k) P w * (ind (z w) - p w) = before (k.+1 * m - r) - before (k * m - r).
Proof.
move=> rm; rewrite sum_ind /before -E_sub; apply: eq_bigr => w _.
by rewrite in_cell //; ring.
Qed.

(** The sum over all cells and all shifts of what the residuals of a cell add up to. *)
Lemma all_cells :
  prefix (fun r => \rsum_(k : 'I_n.+1) Rabs (before (k.+1 * m - r) - before (k * m - r))) m <=
  2 * prefix (fun t => Rabs (before t.+1)) n.
Proof.
have zero t : (n <= t)%N -> before t = 0.
  move=> nt; rewrite -right_on_average; apply: E_ext => w.
  by rewrite (leq_trans (g_range w) nt) /ind; ring.
have start : before 0 = 0 by rewrite -(E_const P 0); apply: E_ext => w; rewrite ltn0 /ind; ring.
have one r : (r < m)%N -> \rsum_(k : 'I_n.+1) Rabs (before (k.+1 * m - r) - before (k * m - r)) <=
    2 * prefix (fun j => Rabs (before (j.+1 * m - r))) n.+1.
  move=> rm; rewrite -(prefix_sum (fun k => Rabs (before (k.+1 * m - r) - before (k * m - r)))).
  apply: Rle_trans (_ : prefix (fun j => Rabs (before (j.+1 * m - r)) + Rabs (before (j * m - r))) n.+1 <= _).
    apply: prefix_le => j _; apply: Rle_trans (Rabs_triang _ _) _.
    by rewrite Rabs_Ropp; lra.
  rewrite prefix_add; have : prefix (fun j => Rabs (before (j * m - r))) n.+1 <=
    prefix (fun j => Rabs (before (j.+1 * m - r))) n.+1; last lra.
  rewrite prefix_first mul0n sub0n start Rabs_R0 [X in _ <= X]/=.
  by have := Rabs_pos (before (n.+1 * m - r)); lra.
apply: Rle_trans (prefix_le one) _; rewrite prefix_scal.
apply: Rmult_le_compat_l; first lra.
rewrite (prefix_cells (fun t => Rabs (before t))); right.
have nm : (n <= n.+1 * m)%N by rewrite mulSn; apply: leq_trans (leq_addl _ _); rewrite leq_pmulr.
rewrite -(subnKC nm) prefix_shift.
have -> : prefix (fun i => Rabs (before (n + i).+1)) (n.+1 * m - n) = 0; last by ring.
elim: (n.+1 * m - n)%N => //= j ->; rewrite zero ?Rabs_R0; [ring|by rewrite leqW // leq_addr].
Qed.

(** The mean prediction of a cell, and the spread around it. *)
Definition mean_in r w := predicted (cell r) P p (cell r w).
Definition spread_in r := E P (fun w => Rabs (p w - mean_in r w)).
Definition offset r w := h * (INR ((g w + r) %% m) - (INR m - 1) / 2).

Lemma P_ge0 w : 0 <= P w. Proof. exact: mass_ge0. Qed.

Lemma cost_le r : (r < m)%N -> cost r <=
  \rsum_(k : 'I_n.+1) Rabs (before (k.+1 * m - r) - before (k * m - r)) + spread_in r.
Proof.
move=> rm; pose t w := ind (z w).
have gaps : E P (fun w => gap (cell r) P t p (cell r w)) =
    \rsum_(k : 'I_n.+1) Rabs (before (k.+1 * m - r) - before (k * m - r)).
  rewrite /E (partition_big (cell r) xpredT) //=; apply: eq_bigr => k _.
  rewrite -cell_residuals // -(share_gap (cell r) t p P_ge0) /share big_distrl /=.
  by apply: eq_bigr => w /eqP ->.
rewrite -gaps /spread_in -E_add; apply: E_le => w.
rewrite /gap -/(mean_in r w) -/t; set a := observed _ _ _ _.
have -> : a - p w = a - mean_in r w + (mean_in r w - p w) by ring.
by apply: Rle_trans (Rabs_triang _ _) _; rewrite (Rabs_minus_sym (p w)); lra.
Qed.

(** A mean minimises the mean square. *)
Lemma mean_least r (c : 'I_n.+1 -> R) :
  E P (fun w => Rsqr (p w - mean_in r w)) <= E P (fun w => Rsqr (p w - c (cell r w))).
Proof.
rewrite /E (partition_big (cell r) xpredT) //= [X in _ <= X](partition_big (cell r) xpredT) //=.
apply: sum_le => k _; pose a := predicted (cell r) P p k.
have zero : \rsum_(w | cell r w == k) P w * (p w - a) = 0.
  rewrite (eq_bigr (fun w => P w * p w - a * P w)); last by move=> w _; ring.
  have num : a * share (cell r) P k = \rsum_(w | cell r w == k) P w * p w.
    rewrite /a /predicted; set q := \rsum_(i | _) _ * p i; set d := share _ _ _.
    case: (Req_dec d 0) => [e|e]; last by field.
    have q0 : q = 0 by exact: (empty_zero P_ge0 p e).
    by rewrite q0 e; ring.
  by rewrite sum_sub sum_scal -/(share (cell r) P k) num; ring.
rewrite (eq_bigr (fun w => P w * Rsqr (p w - a))); last by move=> w /eqP e; rewrite /mean_in e.
rewrite [X in _ <= X](eq_bigr (fun w => P w * Rsqr (p w - a) + (Rsqr (a - c k) * P w
    + 2 * (a - c k) * (P w * (p w - a))))); last by move=> w /eqP ->; rewrite /Rsqr; ring.
rewrite !big_split /= !sum_scal zero.
have mass := sum_ge0 (P := fun w => cell r w == k) (fun w _ => P_ge0 w).
rewrite Rmult_0_r Rplus_0_r -[X in X <= _]Rplus_0_r; apply: Rplus_le_compat_l.
exact: Rmult_le_pos (Rsqr_ge0 _) mass.
Qed.

Lemma spread_le r s : (r < m)%N -> 0 < s ->
  spread_in r <= E P (fun w => Rsqr (offset r w)) / (2 * s) + s / 2.
Proof.
move=> rm s0; pose c (k : 'I_n.+1) := h * (INR k * INR m - INR r + (INR m - 1) / 2).
have e : E P (fun w => Rsqr (p w - c (cell r w))) = E P (fun w => Rsqr (offset r w)).
  apply: E_ext => w; congr Rsqr; rewrite /c /offset /p.
  have d : INR (g w) + INR r = INR (cell r w) * INR m + INR ((g w + r) %% m).
    by rewrite -plus_INR -mult_INR -plus_INR; congr INR; rewrite !plusE !multE (cell_val w rm) -divn_eq.
  have -> : INR (g w) = INR (cell r w) * INR m + INR ((g w + r) %% m) - INR r by lra.
  by ring.
have := mean_least r c; rewrite e; set x := E P _; set y := E P (fun w => Rsqr (offset r w)) => xy.
have x0 : 0 <= x by apply: E_ge0 => w; exact: Rsqr_ge0.
have := E_abs_le_sqrt P (fun w => p w - mean_in r w); rewrite -/x -/(spread_in r) => le.
have sq := sqrt_sqrt x x0; have root : sqrt x <= x / (2 * s) + s / 2.
  apply: (Rmult_le_reg_r (2 * s)); first lra.
  have -> : (x / (2 * s) + s / 2) * (2 * s) = x + s * s by field; lra.
  by have := Rsqr_ge0 (sqrt x - s); rewrite /Rsqr; lra.
have : x / (2 * s) <= y / (2 * s); last lra.
by apply: Rmult_le_compat_r => //; left; apply: Rinv_0_lt_compat; lra.
Qed.

Lemma all_offsets :
  prefix (fun r => E P (fun w => Rsqr (offset r w))) m = INR m * (Rsqr h * (Rsqr (INR m) - 1) / 12).
Proof.
have -> : prefix (fun r => E P (fun w => Rsqr (offset r w))) m =
    E P (fun w => prefix (fun r => Rsqr (offset r w)) m).
  by elim: m => [|j IH] /=; rewrite ?E_const // IH E_add.
rewrite -[RHS](E_const P); apply: E_ext => w.
rewrite (prefix_ext (g := fun r => Rsqr h * Rsqr (INR ((g w + r) %% m) - (INR m - 1) / 2))); last first.
  by move=> r _; rewrite /offset Rsqr_mult.
rewrite prefix_scal (prefix_cycle (fun i => Rsqr (INR i - (INR m - 1) / 2))) squares_of_places.
by rewrite /Rsqr; field.
Qed.

(** label: thm-c33-upper, the second line on a grid, for predictions that are right on average: some
    shift of cells of the width [m h] costs at most this. *)
Theorem some_cells : exists r, (r < m)%N /\
  cost r <= 2 * area_on_grid / (INR m * h) + INR m * h / sqrt 12.
Proof.
have M0 : 0 < INR m by apply: lt_0_INR; apply/ltP.
have t0 : 0 < sqrt 12 by apply: sqrt_lt_R0; lra.
pose s := INR m * h / sqrt 12; have s0 : 0 < s.
  by apply: Rdiv_lt_0_compat => //; exact: Rmult_lt_0_compat.
have ss : s * s = Rsqr h * Rsqr (INR m) / 12.
  have tt := sqrt_sqrt 12 ltac:(lra); rewrite -[X in _ / X]tt /s /Rsqr; field; lra.
apply: exists_below => //.
have one r : (r < m)%N -> cost r <=
    \rsum_(k : 'I_n.+1) Rabs (before (k.+1 * m - r) - before (k * m - r)) +
    (/ (2 * s) * E P (fun w => Rsqr (offset r w)) + s / 2).
  by move=> rm; have := cost_le rm; have := spread_le rm s0; rewrite /Rdiv Rmult_comm; lra.
apply: Rle_trans (prefix_le one) _; rewrite !prefix_add prefix_scal all_offsets.
have const : prefix (fun=> s / 2) m = INR m * (s / 2).
  by elim: m => [|j IH]; rewrite [LHS]/= ?IH ?S_INR /=; ring.
rewrite const; have cells := all_cells.
have area : INR m * (2 * area_on_grid / (INR m * h)) = 2 * prefix (fun t => Rabs (before t.+1)) n.
  by rewrite /area_on_grid; field; lra.
rewrite Rmult_plus_distr_l area -/s.
have : / (2 * s) * (INR m * (Rsqr h * (Rsqr (INR m) - 1) / 12)) <= INR m * (s / 2); last lra.
apply: (Rmult_le_reg_l (2 * s)); first lra.
rewrite -Rmult_assoc Rinv_r; last lra.
have -> : 2 * s * (INR m * (s / 2)) = INR m * (s * s) by field.
rewrite Rmult_1_l ss; apply: Rmult_le_compat_l; first lra.
by have := Rsqr_ge0 h; lra.
Qed.
End Cells.
