(** Groups: patches, and what cannot hold in two groups at once. *)
From Calibration Require Import Fin Scores.

Section Patch.
(** A sample of labels [z i] and predictions [p i]; a patch adds [s] to the predictions in [A]. *)
Variables (I : finType) (z : I -> bool) (p : I -> R) (A : pred I).
Hypothesis some_point : (0 < \rsum_(i | A i) 1).
Definition points := \rsum_(i | A i) 1.
Definition patched s i := if A i then p i + s else p i.
Definition bias (q : I -> R) := (\rsum_(i | A i) (ind (z i) - q i)) / points.

Lemma bias_patched s : bias (patched s) = bias p - s.
Proof.
rewrite /bias; have -> : \rsum_(i | A i) (ind (z i) - patched s i) =
  \rsum_(i | A i) (ind (z i) - p i) - s * points.
  rewrite /points -sum_scal -sum_sub; apply: eq_bigr => i Ai; rewrite /patched Ai; ring.
by field; rewrite /points; lra.
Qed.

(** label: thm-c36-brier, the exact fall, and the fall with the full shift. *)
Theorem fall_of_brier s : brier z p - brier z (patched s) =
    points / size I * (Rsqr (bias p) - Rsqr (bias (patched s))) /\
  brier z p - brier z (patched (bias p)) = points / size I * Rsqr (bias p).
Proof.
suff h x : brier z p - brier z (patched x) =
    points / size I * (Rsqr (bias p) - Rsqr (bias (patched x))).
  split; first exact: h.
  by rewrite h bias_patched Rminus_eq_0 Rsqr_0 Rminus_0_r.
have n0 : 0 < size I.
  apply: lt_0_INR; apply/ltP; rewrite lt0n; apply/eqP => /card0_eq no.
  have : \rsum_(i | A i) 1 = 0; last by lra.
  by apply: big1 => i _; have := no i; rewrite inE.
have b : points * bias p = \rsum_(i | A i) (ind (z i) - p i).
  by rewrite /bias; field; rewrite /points; lra.
have -> : points / size I * (Rsqr (bias p) - Rsqr (bias (patched x))) =
  / size I * (2 * x * (points * bias p) - Rsqr x * points).
  by rewrite bias_patched /Rsqr; field; lra.
rewrite b /brier /Rdiv -Rmult_minus_distr_r Rmult_comm; congr (_ * _).
rewrite -sum_sub (bigID A) /= [X in _ + X]big1 => [|i /negbTE na].
  rewrite Rplus_0_r /points -!sum_scal -sum_sub; apply: eq_bigr => i Ai.
  by rewrite /patched Ai /Rsqr; ring.
by rewrite /patched na; ring.
Qed.

Definition cut_off x := Rmax 0 (Rmin 1 x).

(** label: thm-c36-brier, predictions cut off at 0 and 1: the fall is at least as large. *)
Theorem fall_with_cut_off s : brier z (fun i => cut_off (patched s i)) <= brier z (patched s).
Proof.
have n0 : 0 <= / size I.
  case: (Rle_lt_or_eq_dec _ _ (pos_INR #|I|)) => [lt|e]; first by left; exact: Rinv_0_lt_compat.
  by rewrite /size -e Rinv_0; lra.
apply: Rmult_le_compat_r => //; apply: sum_le => i _; rewrite /cut_off /ind /Rsqr.
by case: (z i); rewrite /Rmax /Rmin; do 2 case: Rle_dec; nra.
Qed.

(** The bias, shrunk by one pseudo-label that is as predicted. *)
Definition shrunk := points * bias p / (points + 1).

(** label: cor-c36-end, scale of probabilities, one patch: if its evidence reaches T, it lowers the
    Brier score by T/(2N) or more. *)
Theorem patch_pays T : T <= 2 * points * Rsqr shrunk ->
  T / (2 * size I) <= brier z p - brier z (patched shrunk).
Proof.
have n0 : 0 < size I.
  apply: lt_0_INR; apply/ltP; rewrite lt0n; apply/eqP => /card0_eq no.
  have : \rsum_(i | A i) 1 = 0; last by lra.
  by apply: big1 => i _; have := no i; rewrite inE.
have P0 : 0 < points by exact: some_point.
move=> le; have [-> _] := fall_of_brier shrunk; rewrite bias_patched.
have e : Rsqr (bias p) - Rsqr (bias p - shrunk) = Rsqr shrunk * (1 + 2 / points).
  by rewrite /shrunk /Rsqr; field; lra.
rewrite e; apply: (Rmult_le_reg_r (2 * size I)); first lra.
have -> : T / (2 * size I) * (2 * size I) = T by field; lra.
have -> : points / size I * (Rsqr shrunk * (1 + 2 / points)) * (2 * size I) =
  2 * points * Rsqr shrunk + 4 * Rsqr shrunk by field; lra.
by have := Rsqr_ge0 shrunk; lra.
Qed.
End Patch.

(** label: cor-c36-end, scale of probabilities: a score [b k] that is at least 0 and falls by
    T/(2N) or more at each of the first m patches allows at most 2 N b0 / T of them. *)
Theorem patching_ends (b : nat -> R) (T N : R) m : 0 < T -> 0 < N ->
  (forall k, 0 <= b k) -> (forall k, (k < m)%N -> T / (2 * N) <= b k - b k.+1) ->
  INR m <= 2 * N * b 0%N / T.
Proof.
move=> T0 N0 b0 fall; have h : INR m * (T / (2 * N)) <= b 0%N - b m.
  elim: m fall => [|m IH] fall; first by rewrite /=; lra.
  have := IH (fun k km => fall k (ltnW km)); have := fall m (ltnSn m); rewrite S_INR; lra.
apply: (Rmult_le_reg_r (T / (2 * N))); first by apply: Rdiv_lt_0_compat; lra.
have -> : 2 * N * b 0%N / T * (T / (2 * N)) = b 0%N by field; lra.
by have := b0 m; lra.
Qed.

Section Balance.
(** One group: a finite population with labels [z w] and scores [p w]. *)
Variables (W : finType) (P : law W) (z : W -> bool) (p : W -> R).
Hypothesis both_classes : 0 < Pr P z < 1.
Definition odds := Pr P z / (1 - Pr P z).
Definition mean_of_positives := E P (fun w => ind (z w) * p w) / Pr P z.
Definition mean_of_negatives := E P (fun w => (1 - ind (z w)) * p w) / (1 - Pr P z).

(** label: thm-c36-balance, the equation. *)
Theorem balance : E P p = Pr P z -> mean_of_negatives = odds * (1 - mean_of_positives).
Proof.
move=> e; rewrite /mean_of_negatives /mean_of_positives /odds.
have -> : E P (fun w => (1 - ind (z w)) * p w) = Pr P z - E P (fun w => ind (z w) * p w).
  by rewrite -e -E_sub; apply: E_ext => w; ring.
by field; lra.
Qed.

(** An alarm is raised for [w] if [a w]. *)
Variable a : W -> bool.
Definition PPV := Pr P (fun w => a w && z w) / Pr P a.
Definition FNR := Pr P (fun w => ~~ a w && z w) / Pr P z.
Definition FPR := Pr P (fun w => a w && ~~ z w) / (1 - Pr P z).

(** label: thm-c36-rates, the equation. *)
Theorem rates : 0 < PPV -> FPR = odds * ((1 - PPV) / PPV) * (1 - FNR).
Proof.
rewrite /PPV => ppv; have [a0 _] := Pr_range P a; have [t0 _] := Pr_range P (fun w => a w && z w).
have ap : 0 < Pr P a.
  by case: a0 => // e; move: ppv; rewrite -e /Rdiv Rinv_0; lra.
have tp : 0 < Pr P (fun w => a w && z w).
  by case: t0 => // e; move: ppv; rewrite -e /Rdiv Rmult_0_l; lra.
have e1 : Pr P a = Pr P (fun w => a w && z w) + Pr P (fun w => a w && ~~ z w).
  by rewrite /Pr -E_add; apply: E_ext => w; rewrite /ind; case: (a w); case: (z w) => /=; ring.
have e2 : Pr P z = Pr P (fun w => a w && z w) + Pr P (fun w => ~~ a w && z w).
  by rewrite /Pr -E_add; apply: E_ext => w; rewrite /ind; case: (a w); case: (z w) => /=; ring.
rewrite /FPR /odds /FNR.
have -> : Pr P (fun w => a w && ~~ z w) = Pr P a - Pr P (fun w => a w && z w) by lra.
have -> : Pr P (fun w => ~~ a w && z w) = Pr P z - Pr P (fun w => a w && z w) by lra.
by field; lra.
Qed.
End Balance.

(** label: thm-c36-balance, two groups with different odds o1 and o2. *)
Theorem balance_in_two_groups o1 o2 A B : o1 <> o2 ->
  B = o1 * (1 - A) -> B = o2 * (1 - A) -> A = 1 /\ B = 0.
Proof.
move=> ne e1 e2; have : (o1 - o2) * (1 - A) = 0 by lra.
case/Rmult_integral => h; first lra.
by split; [lra|rewrite e1 h; ring].
Qed.

(** label: thm-c36-rates, two groups with different odds, the same PPV < 1 and the same FNR < 1. *)
Theorem rates_in_two_groups o1 o2 ppv fnr : o1 <> o2 -> 0 < ppv < 1 -> fnr < 1 ->
  o1 * ((1 - ppv) / ppv) * (1 - fnr) <> o2 * ((1 - ppv) / ppv) * (1 - fnr).
Proof.
move=> ne hp hf e; have c0 : 0 < (1 - ppv) / ppv by apply: Rdiv_lt_0_compat; lra.
have : (o1 - o2) * ((1 - ppv) / ppv * (1 - fnr)) = 0 by lra.
by have p := Rmult_lt_0_compat _ _ c0 (Rlt_Rminus _ _ hf); case/Rmult_integral; lra.
Qed.
