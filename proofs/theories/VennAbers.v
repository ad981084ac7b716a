(** Level sets of isotonic regression, and the two probabilities of a Venn-Abers predictor. *)
From Calibration Require Import Fin Isotonic Fit.

(** The sum over the places from [a] to [b - 1]. *)
Definition between f a b := prefix f b - prefix f a.

Section LevelSet.
(** The level set of a place [k] of a certified fit begins at some [a] and ends before some [b]. *)
Variables (n : nat) (w s p : nat -> R).
Hypotheses (w_pos : forall i, (i < n)%N -> 0 < w i) (cert : certified n w s p).

Lemma fit_mono i j : (i <= j)%N -> (j < n)%N -> p i <= p j.
Proof.
case: cert => mono _ _ _; elim: j => [|j IH]; first by rewrite leqn0 => /eqP ->; lra.
rewrite leq_eqVlt => /orP[/eqP -> _|lt hj]; first lra.
by have := IH lt (ltnW hj); have := mono j hj; lra.
Qed.

(** There is no slack where the level set begins, nor where it ends. *)
Lemma level_start k : (k < n)%N ->
  exists a, [/\ (a <= k)%N, slack w s p a = 0 & forall i, (a <= i)%N -> (i <= k)%N -> p i = p k].
Proof.
case: cert => mono _ _ zero; elim: k => [|k IH] hk.
  by exists 0%N; split=> // i _; rewrite leqn0 => /eqP ->.
case: (Rle_lt_or_eq_dec _ _ (mono k hk)) => [lt|e].
  by exists k.+1; split=> //; [exact: zero|move=> i h1 h2; congr p; apply/eqP; rewrite eqn_leq h1 h2].
have [a [ak s0 h]] := IH (ltnW hk); exists a; split=> //; first exact: leq_trans ak (leqnSn k).
move=> i ai; rewrite leq_eqVlt => /orP[/eqP -> //|ik]; by rewrite -e h.
Qed.

Lemma level_end k : (k < n)%N ->
  exists b, [/\ (k < b)%N, (b <= n)%N, slack w s p b = 0 &
                forall i, (k <= i)%N -> (i < b)%N -> p i = p k].
Proof.
case: cert => mono _ last zero hk; move: (hk).
have [d e] : exists d, n = (k + d.+1)%N.
  by exists (n - k).-1; rewrite prednK ?subn_gt0 // subnKC // ltnW.
elim: d k hk e => [|d IH] k hk e _.
  exists n; split=> // i ki; rewrite e addn1 ltnS => ik; congr p; apply/eqP; by rewrite eqn_leq ik ki.
have hk1 : (k.+1 < n)%N by rewrite e -addSnnS -[X in (X < _)%N]addn0 ltn_add2l.
case: (Rle_lt_or_eq_dec _ _ (mono k hk1)) => [lt|eq].
  exists k.+1; split=> //; [exact: zero|move=> i ki; rewrite ltnS => ik].
  by congr p; apply/eqP; rewrite eqn_leq ik ki.
have e1 : n = (k.+1 + d.+1)%N by rewrite e addSnnS.
have [b [kb bn s0 h]] := IH _ hk1 e1 hk1; exists b; split=> //; first exact: ltnW.
move=> i; rewrite leq_eqVlt => /orP[/eqP <- //|ki ib]; by rewrite h // eq.
Qed.

Lemma slack_between a b : slack w s p b - slack w s p a =
  between s a b - between (fun i => w i * p i) a b.
Proof.
have h m : slack w s p m = prefix s m - prefix (fun i => w i * p i) m.
  rewrite /slack; have -> : prefix s m - prefix (fun i => w i * p i) m =
    prefix s m + -1 * prefix (fun i => w i * p i) m by ring.
  by rewrite -prefix_scal -prefix_add; apply: prefix_ext => i _; ring.
by rewrite /between !h; ring.
Qed.

Lemma between_ge0 f a b : (a <= b)%N -> (forall i, (a <= i)%N -> (i < b)%N -> 0 <= f i) ->
  0 <= between f a b.
Proof.
rewrite /between; elim: b => [|b IH] ab h; first by move: ab; rewrite leqn0 => /eqP -> /=; lra.
move: ab; rewrite leq_eqVlt => /orP[/eqP ->|ab]; first lra.
have := IH ab (fun i h1 h2 => h i h1 (ltnW h2)); have := h b ab (ltnSn b) => /=; lra.
Qed.

Lemma between_scal c f a b : between (fun i => c * f i) a b = c * between f a b.
Proof. by rewrite /between !prefix_scal; ring. Qed.
Lemma between_sub f g a b : between (fun i => f i - g i) a b = between f a b - between g a b.
Proof.
rewrite /between; have h m : prefix (fun i => f i - g i) m = prefix f m - prefix g m.
  by elim: m => /= [|m ->]; ring.
by rewrite !h; ring.
Qed.

(** From the start of the level set to any end beyond [k], the mean label is at least [p k]. *)
Lemma from_start k : (k < n)%N -> exists a, (a <= k)%N /\
  forall b, (k < b)%N -> (b <= n)%N -> p k * between w a b <= between s a b.
Proof.
move=> hk; have [a [ak s0 h]] := level_start hk; exists a; split=> // b kb bn.
have := slack_between a b; rewrite s0; case: cert => _ ge0 _ _; have u := ge0 b bn.
have : 0 <= between (fun i => w i * p i - p k * w i) a b.
  apply: between_ge0 => [|i ai ib]; first exact: leq_trans ak (ltnW kb).
  have wi := w_pos (leq_trans ib bn).
  have : p k <= p i.
    case: (leqP i k) => ik; first by rewrite h //; lra.
    by apply: fit_mono; [exact: ltnW|exact: leq_trans ib bn].
  nra.
rewrite between_sub between_scal; lra.
Qed.

(** From any start up to [k] to the end of the level set, the mean label is at most [p k]. *)
Lemma to_end k : (k < n)%N -> exists b, [/\ (k < b)%N, (b <= n)%N &
  forall a, (a <= k)%N -> between s a b <= p k * between w a b].
Proof.
move=> hk; have [b [kb bn s0 h]] := level_end hk; exists b; split=> // a ak.
have := slack_between a b; rewrite s0; case: cert => _ ge0 _ _.
have u := ge0 a (leq_trans ak (ltnW hk)).
have : 0 <= between (fun i => p k * w i - w i * p i) a b.
  apply: between_ge0 => [|i ai ib]; first exact: leq_trans ak (ltnW kb).
  have wi := w_pos (leq_trans ib bn).
  have : p i <= p k.
    by case: (leqP k i) => ik; [rewrite h //; lra|apply: fit_mono => //; exact: ltnW].
  nra.
rewrite between_sub between_scal; lra.
Qed.

(** The max-min formula: [p k] is the largest, over the starts [a], of the smallest mean label, over
    the ends [b].  One start has no mean below [p k], and one end has no mean above it. *)
Theorem max_min k : (k < n)%N ->
  (exists a, (a <= k)%N /\ forall b, (k < b)%N -> (b <= n)%N -> p k <= between s a b / between w a b) /\
  (exists b, [/\ (k < b)%N, (b <= n)%N & forall a, (a <= k)%N -> between s a b / between w a b <= p k]).
Proof.
move=> hk; have pos a b : (a <= k)%N -> (k < b)%N -> (b <= n)%N -> 0 < between w a b.
  move=> ak kb bn; have e : between w a b = between w a k + (w k + between w k.+1 b).
    by rewrite /between /=; ring.
  have p1 : 0 <= between w a k.
    by apply: between_ge0 => // i _ ik; left; apply: w_pos; exact: ltn_trans ik hk.
  have p2 : 0 <= between w k.+1 b.
    by apply: between_ge0 => // i _ ib; left; apply: w_pos; exact: leq_trans ib bn.
  by rewrite e; have := w_pos hk; lra.
split.
- have [a [ak h]] := from_start hk; exists a; split=> // b kb bn; have W := pos a b ak kb bn.
  apply: (Rmult_le_reg_r (between w a b)) => //.
  by rewrite /Rdiv Rmult_assoc Rinv_l; [rewrite Rmult_1_r; exact: h|lra].
- have [b [kb bn h]] := to_end hk; exists b; split=> // a ak; have W := pos a b ak kb bn.
  apply: (Rmult_le_reg_r (between w a b)) => //.
  by rewrite /Rdiv Rmult_assoc Rinv_l; [rewrite Rmult_1_r; exact: h|lra].
Qed.
End LevelSet.

Section VennAbers.
(** There are [n] places, and the new object is at place [k].  The calibration sample has the weight
    [c i] at place [i], of which [m i] is positive; [c k] is 0 unless a calibration score ties with
    the new one.  Weights are real numbers. *)
Variables (n k : nat) (c m : nat -> R).
Hypotheses (hk : (k < n)%N) (c_ge0 : forall i, (i < n)%N -> 0 <= c i)
  (c_pos : forall i, (i < n)%N -> i != k -> 0 < c i)
  (m_range : forall i, (i < n)%N -> 0 <= m i <= c i).
Definition size := prefix c n.

Definition with_new (i : nat) : R := c i + ind (i == k).
Definition sum_new (label : bool) (i : nat) : R := m i + ind (i == k) * ind label.

(** [p0] and [p1] are the certified fits of the sample and the new object with the label 0 or 1. *)
Variables (p0 p1 : nat -> R).
Hypotheses (fit0 : certified n with_new (sum_new false) p0)
           (fit1 : certified n with_new (sum_new true) p1).

Lemma with_new_pos i : (i < n)%N -> 0 < with_new i.
Proof.
move=> hi; rewrite /with_new; case: eqP => [_|/eqP ne] /=; first by have := c_ge0 hi; lra.
by have := c_pos hi ne; lra.
Qed.

Lemma between_new label a b : (a <= k)%N -> (k < b)%N ->
  between (sum_new label) a b = between m a b + ind label.
Proof.
move=> ak kb; rewrite /between /sum_new.
have h j : prefix (fun i => m i + ind (i == k) * ind label) j = prefix m j + ind (k < j)%N * ind label.
  elim: j => /= [|j ->]; first by rewrite /ind; ring.
  rewrite ltnS [in RHS]leq_eqVlt eq_sym; case: eqP => [->|_] /=; first by rewrite ltnn /ind; ring.
  by rewrite /ind; ring.
rewrite !h kb ltnNge ak /ind /=; ring.
Qed.

Lemma size_between a b : (a <= k)%N -> (k < b)%N -> (b <= n)%N ->
  0 < between with_new a b <= size + 1.
Proof.
move=> ak kb bn; have e : between with_new a b = between c a b + 1.
  have := between_new true ak kb; rewrite /between /sum_new /with_new.
  have h f j : prefix (fun i => f i + ind (i == k) * ind true) j =
               prefix (fun i => f i + ind (i == k)) j.
    by apply: prefix_ext => i _; rewrite /ind; case: eqP => _; ring.
  rewrite !h => e1.
  have h2 j : prefix (fun i => c i + ind (i == k)) j - prefix (fun i => m i + ind (i == k)) j =
              prefix c j - prefix m j by elim: j => /= [|j IH]; lra.
  have := h2 a; have := h2 b; rewrite /ind in e1 *; lra.
have p : forall x y, (x <= y)%N -> (y <= n)%N -> 0 <= between c x y.
  move=> x y xy yn; apply: between_ge0 => // i _ iy; apply: c_ge0; exact: leq_trans iy yn.
have pa := p 0%N a (leq0n a) (leq_trans ak (ltnW hk)).
have pb := p b n bn (leqnn n); have pab := p a b (leq_trans ak (ltnW kb)) bn.
move: pa pb pab; rewrite e /size /between /=; lra.
Qed.

Theorem width_lower : 1 / (size + 1) <= p1 k - p0 k.
Proof.
have [a [ak ha]] := from_start with_new_pos fit0 hk.
have [b [kb bn hb]] := to_end with_new_pos fit1 hk.
have := ha b kb bn; have := hb a ak; rewrite !between_new // /ind.
have [W0 W1] := size_between ak kb bn; set W := between with_new a b in W0 W1 *.
move=> h1 h0; have d : 1 <= (p1 k - p0 k) * W by lra.
apply: (Rmult_le_reg_r (size + 1)); first lra.
have -> : 1 / (size + 1) * (size + 1) = 1 by field; lra.
have dpos : 0 < p1 k - p0 k by nra.
have := Rmult_le_compat_l (p1 k - p0 k) W (size + 1); lra.
Qed.

Lemma between_range a b : (a <= b)%N -> (b <= n)%N -> 0 <= between m a b <= between c a b.
Proof.
move=> ab bn; split; first by apply: between_ge0 => // i _ ib; case: (m_range (leq_trans ib bn)).
have : 0 <= between (fun i => c i - m i) a b.
  by apply: between_ge0 => // i _ ib; have := m_range (leq_trans ib bn); lra.
rewrite between_sub; lra.
Qed.

Theorem pair_order : 0 <= p0 k /\ p0 k < p1 k /\ p1 k <= 1.
Proof.
split; last split.
- have [b [kb bn hb]] := to_end with_new_pos fit0 hk.
  have := hb k (leqnn k); rewrite between_new // /ind.
  have [W0 _] := size_between (leqnn k) kb bn; have := between_range (ltnW kb) bn; nra.
- have s0 : 0 <= size by apply: prefix_ge0 => i hi; exact: c_ge0.
  have : 0 < 1 / (size + 1) by apply: Rdiv_lt_0_compat; lra.
  have := width_lower; lra.
- have [a [ak ha]] := from_start with_new_pos fit1 hk.
  have := ha k.+1 (ltnSn k) hk; rewrite between_new // /ind.
  have [W0 _] := size_between ak (ltnSn k) hk.
  have r := between_range (leq_trans ak (leqnSn k)) hk.
  have e : between with_new a k.+1 = between c a k.+1 + 1.
    have w1 : with_new k = c k + 1 by rewrite /with_new eqxx.
    have h j : (j <= k)%N -> prefix with_new j = prefix c j.
      move=> jk; apply: prefix_ext => i ij; rewrite /with_new.
      by case: eqP => [e|_]; [move: (leq_trans ij jk); rewrite e ltnn|rewrite /ind; ring].
    by rewrite /between /= w1 !h //; ring.
  nra.
Qed.
End VennAbers.

(** label: cor-c19-pair, parts 1 and 2, for isotonic regression by least squares; with the weights 1
    the size is N. *)
Theorem venn_abers_pair n k c m p0 p1 : (k < n)%N ->
  (forall i, (i < n)%N -> 0 <= c i) -> (forall i, (i < n)%N -> i != k -> 0 < c i) ->
  (forall i, (i < n)%N -> 0 <= m i <= c i) ->
  least_squares n (with_new k c) (sum_new k m false) p0 ->
  least_squares n (with_new k c) (sum_new k m true) p1 ->
  [/\ 1 / (size n c + 1) <= p1 k - p0 k <= 1, p0 k < p1 k, 0 <= p0 k < 1 & 0 < p1 k <= 1].
Proof.
move=> hk c0 cp mr; have wp := with_new_pos c0 cp.
move=> /(least_squares_certified _ _ wp) f0 /(least_squares_certified _ _ wp) f1.
have a := width_lower hk c0 cp f0 f1; have [b [d e]] := pair_order hk c0 cp mr f0 f1.
by split; lra.
Qed.

(** label: prop-c21-bound, the bounds of the merged probability, and the largest loss. *)
Theorem merged_bounds N p0 p1 : 0 <= N -> 1 / (N + 1) <= p1 - p0 -> 0 <= p0 -> p1 <= 1 ->
  let p := p1 / (1 - p0 + p1) in
  1 / (N + 2) <= p <= (N + 1) / (N + 2) /\ - ln p <= ln (N + 2) /\ - ln (1 - p) <= ln (N + 2).
Proof.
move=> N0 width l u p.
have i0 : 0 < 1 / (N + 1) by apply: Rdiv_lt_0_compat; lra.
have w' : 1 <= (p1 - p0) * (N + 1).
  have := Rmult_le_compat_r (N + 1) _ _ ltac:(lra) width.
  by have -> : 1 / (N + 1) * (N + 1) = 1 by field; lra.
have D : 0 < 1 - p0 + p1 by lra.
have lo : 1 / (N + 2) <= p.
  apply: (Rmult_le_reg_r ((N + 2) * (1 - p0 + p1))); first nra.
  have -> : 1 / (N + 2) * ((N + 2) * (1 - p0 + p1)) = 1 - p0 + p1 by field; lra.
  have -> : p * ((N + 2) * (1 - p0 + p1)) = p1 * (N + 2) by rewrite /p; field; lra.
  nra.
have hi : p <= (N + 1) / (N + 2).
  apply: (Rmult_le_reg_r ((N + 2) * (1 - p0 + p1))); first nra.
  have -> : (N + 1) / (N + 2) * ((N + 2) * (1 - p0 + p1)) = (N + 1) * (1 - p0 + p1) by field; lra.
  have -> : p * ((N + 2) * (1 - p0 + p1)) = p1 * (N + 2) by rewrite /p; field; lra.
  nra.
have loss x : 1 / (N + 2) <= x -> - ln x <= ln (N + 2).
  have q : 0 < 1 / (N + 2) by apply: Rdiv_lt_0_compat; lra.
  have e : ln (1 / (N + 2)) = - ln (N + 2) by rewrite /Rdiv Rmult_1_l ln_Rinv; lra.
  by case=> [lt|<-]; [have := ln_increasing _ _ q lt; lra|lra].
have up : 1 / (N + 2) <= 1 - p.
  have e : 1 - (N + 1) / (N + 2) = 1 / (N + 2) by field; lra.
  lra.
by split=> //; split; exact: loss.
Qed.
