(** The evidence of a binning: a closed form, and a cumulative log loss. *)
From Calibration Require Import Fin Scores Average.

(** The fundamental theorem of calculus, for the Riemann integral of Coq's library. *)
Lemma integral f f' a b (pr : Riemann_integrable f' a b) : a <= b ->
  (forall x, derivable_pt_lim f x (f' x)) -> continuity f' -> RiemannInt pr = f b - f a.
Proof.
move=> ab df cf; pose d : derivable f := fun x => exist _ (f' x) (df x).
have c : continuity (derive f d) by move=> x; exact: cf.
pose F := mkC1 c; have pr' : Riemann_integrable (derive F (diff0 F)) a b by exact: RiemannInt_P32.
rewrite -[RHS](FTC_Riemann F pr'); apply: RiemannInt_P18 => // x _; by [].
Qed.

Section Path.
(** Members [k] with first weights [w k] and total losses [L k].  At the place [u] of the path from 0
    to 1 the weights are proportional to [w k * exp (- u * L k)]. *)
Variables (K : finType) (w L : K -> R).
Hypotheses (w_pos : forall k, 0 < w k) (w_sum : \rsum_k w k = 1).
Definition normaliser u := \rsum_k w k * exp (- (u * L k)).
Definition path_weight u k := w k * exp (- (u * L k)) / normaliser u.
Definition path_mean u := \rsum_k path_weight u k * L k.

Lemma normaliser_pos u : 0 < normaliser u.
Proof.
have w0 k : 0 <= w k by left.
exact: (average_pos w0 w_sum (q := fun k => exp (- (u * L k))) (fun k => exp_pos _)).
Qed.

Lemma derive_sum (f f' : K -> R -> R) x : (forall k, derivable_pt_lim (f k) x (f' k x)) ->
  derivable_pt_lim (fun u => \rsum_k f k u) x (\rsum_k f' k x).
Proof.
move=> h; suff s (r : seq K) : derivable_pt_lim (fun u => \big[Rplus/0]_(k <- r) f k u) x
  (\big[Rplus/0]_(k <- r) f' k x) by exact: s.
elim: r => [|k r IH].
  rewrite big_nil; have -> : (fun u => \big[Rplus/0]_(k <- [::]) f k u) = fct_cte 0.
    by apply: FunctionalExtensionality.functional_extensionality => u; rewrite big_nil.
  exact: derivable_pt_lim_const.
rewrite big_cons; have -> : (fun u => \big[Rplus/0]_(j <- k :: r) f j u) =
    plus_fct (f k) (fun u => \big[Rplus/0]_(j <- r) f j u).
  by apply: FunctionalExtensionality.functional_extensionality => u; rewrite big_cons.
exact: derivable_pt_lim_plus.
Qed.

Lemma derive_term k x c : derivable_pt_lim (fun u => c * exp (- (u * L k))) x
  (c * (exp (- (x * L k)) * - L k)).
Proof.
apply: (derivable_pt_lim_scal (fun u => exp (- (u * L k)))).
have -> : (fun u => exp (- (u * L k))) = comp exp (fun u => - L k * u).
  by apply: FunctionalExtensionality.functional_extensionality => u; rewrite /comp; congr exp; ring.
have -> : exp (- (x * L k)) = exp (- L k * x) by congr exp; ring.
apply: (derivable_pt_lim_comp (fun u => - L k * u) exp).
  have e : - L k = - L k * 1 by ring.
  by rewrite {2}e; apply: (derivable_pt_lim_scal id); exact: derivable_pt_lim_id.
exact: derivable_pt_lim_exp.
Qed.

Lemma derive_path u : derivable_pt_lim (fun u => - ln (normaliser u)) u (path_mean u).
Proof.
have p := normaliser_pos u.
have -> : path_mean u = - (/ normaliser u * \rsum_k w k * (exp (- (u * L k)) * - L k)).
  rewrite /path_mean -sum_scal -sum_opp; apply: eq_bigr => k _; rewrite /path_weight.
  by field; lra.
apply: (derivable_pt_lim_opp (fun u => ln (normaliser u))).
apply: (derivable_pt_lim_comp normaliser ln); last exact: derivable_pt_lim_ln.
apply: (derive_sum (f := fun k u => w k * exp (- (u * L k)))
                   (f' := fun k u => w k * (exp (- (u * L k)) * - L k))) => k.
exact: derive_term.
Qed.

Lemma path_mean_continuous : continuity path_mean.
Proof.
move=> u; apply: derivable_continuous_pt.
pose num v := \rsum_k (w k * L k) * exp (- (v * L k)).
have -> : path_mean = (fun v => num v / normaliser v).
  apply: FunctionalExtensionality.functional_extensionality => v.
  rewrite /path_mean /num /Rdiv big_distrl; apply: eq_bigr => k _ /=; rewrite /path_weight /Rdiv; ring.
have dn : derivable_pt num u.
  exists (\rsum_k (w k * L k) * (exp (- (u * L k)) * - L k)).
  exact: (derive_sum (f := fun k v => (w k * L k) * exp (- (v * L k)))
    (f' := fun k v => (w k * L k) * (exp (- (v * L k)) * - L k)) (fun k => derive_term k _ _)).
have dz : derivable_pt normaliser u.
  exists (\rsum_k w k * (exp (- (u * L k)) * - L k)).
  exact: (derive_sum (f := fun k v => w k * exp (- (v * L k)))
    (f' := fun k v => w k * (exp (- (v * L k)) * - L k)) (fun k => derive_term k _ _)).
by apply: (derivable_pt_div num normaliser) => //; have := normaliser_pos u; lra.
Qed.

Lemma path_integrable : Riemann_integrable path_mean 0 1.
Proof. by apply: continuity_implies_RiemannInt => [|x _]; [lra|exact: path_mean_continuous]. Qed.

(** The path identity: the mean of the mean losses along the path is the loss of the Bayes mixture; so
    it is at most the loss of any member and the log of what its first weight is an inverse of. *)
Theorem path_identity :
  RiemannInt path_integrable = - ln (\rsum_k w k * exp (- L k)) /\
  forall k, RiemannInt path_integrable <= L k + ln (1 / w k).
Proof.
have e : RiemannInt path_integrable = - ln (\rsum_k w k * exp (- L k)).
  have le01 : 0 <= 1 by lra.
  rewrite (integral path_integrable le01 derive_path path_mean_continuous).
  have -> : normaliser 0 = 1.
    by rewrite -w_sum; apply: eq_bigr => k _; rewrite Rmult_0_l Ropp_0 exp_0; ring.
  rewrite ln_1; have -> : normaliser 1 = \rsum_k w k * exp (- L k).
    by apply: eq_bigr => k _; rewrite Rmult_1_l.
  by ring.
split=> // k; rewrite e; have p : 0 < w k * exp (- L k) by apply: Rmult_lt_0_compat => //; exact: exp_pos.
have le : w k * exp (- L k) <= \rsum_k w k * exp (- L k).
  apply: (sum_term (P := xpredT) (f := fun k => w k * exp (- L k))) => // j _.
  by left; apply: Rmult_lt_0_compat => //; exact: exp_pos.
have := ln_le p le; rewrite ln_mult //; last exact: exp_pos.
by rewrite ln_exp /Rdiv Rmult_1_l ln_Rinv //; lra.
Qed.

Lemma path_weight_continuous k : continuity (fun u => path_weight u k).
Proof.
move=> u; apply: derivable_continuous_pt.
apply: (derivable_pt_div (fun u => w k * exp (- (u * L k))) normaliser).
- by exists (w k * (exp (- (u * L k)) * - L k)); exact: derive_term.
- exists (\rsum_j w j * (exp (- (u * L j)) * - L j)).
  exact: (derive_sum (f := fun j v => w j * exp (- (v * L j)))
    (f' := fun j v => w j * (exp (- (v * L j)) * - L j)) (fun j => derive_term j _ _)).
by have := normaliser_pos u; lra.
Qed.

Lemma weight_integrable k : Riemann_integrable (fun u => path_weight u k) 0 1.
Proof. by apply: continuity_implies_RiemannInt => [|x _]; [lra|exact: path_weight_continuous]. Qed.

(** The weights of the path: the average of the weights at all its places. *)
Definition averaged k := RiemannInt (weight_integrable k).

Lemma averaged_sum (c : K -> R) (pr : Riemann_integrable (fun u => \rsum_k c k * path_weight u k) 0 1) :
  RiemannInt pr = \rsum_k c k * averaged k.
Proof.
suff s (r : seq K) : exists pr' : Riemann_integrable
    (fun u => \big[Rplus/0]_(k <- r) (c k * path_weight u k)) 0 1,
    RiemannInt pr' = \big[Rplus/0]_(k <- r) (c k * averaged k).
  by have [pr' e] := s (index_enum K); rewrite -e; exact: RiemannInt_P5.
elim: r => [|k r [pr' IH]].
  have e : (fun u => \big[Rplus/0]_(k <- [::]) (c k * path_weight u k)) = fct_cte 0.
    by apply: FunctionalExtensionality.functional_extensionality => u; rewrite big_nil.
  by rewrite e big_nil; exists (RiemannInt_P14 0 1 0); rewrite RiemannInt_P15; ring.
have e : (fun u => \big[Rplus/0]_(j <- k :: r) (c j * path_weight u j)) =
    (fun u => \big[Rplus/0]_(j <- r) (c j * path_weight u j) + c k * path_weight u k).
  by apply: FunctionalExtensionality.functional_extensionality => u; rewrite big_cons Rplus_comm.
rewrite e big_cons; have pr2 := RiemannInt_P10 (c k) pr' (weight_integrable k).
by exists pr2; rewrite (RiemannInt_P13 pr' (weight_integrable k) pr2) IH /averaged; ring.
Qed.

Lemma averaged_ge0 k : 0 <= averaged k.
Proof.
have -> : 0 = RiemannInt (RiemannInt_P14 0 1 0) by rewrite RiemannInt_P15; ring.
apply: RiemannInt_P19 => [|u _]; first lra.
left; apply: Rdiv_lt_0_compat; last exact: normaliser_pos.
by apply: Rmult_lt_0_compat => //; exact: exp_pos.
Qed.

Lemma averaged_one : \rsum_k averaged k = 1.
Proof.
have -> : \rsum_k averaged k = \rsum_k 1 * averaged k by apply: eq_bigr => k _; ring.
have e : (fun u => \rsum_k 1 * path_weight u k) = fct_cte 1.
  apply: FunctionalExtensionality.functional_extensionality => u.
  have p := normaliser_pos u; rewrite /fct_cte -[RHS](Rinv_r (normaliser u)); last lra.
  rewrite {1}/normaliser big_distrl; apply: eq_bigr => k _ /=; rewrite /path_weight /Rdiv; ring.
have pr : Riemann_integrable (fun u => \rsum_k 1 * path_weight u k) 0 1 by rewrite e; exact: RiemannInt_P14.
rewrite -(averaged_sum (c := fun=> 1) pr).
rewrite (RiemannInt_P18 pr (RiemannInt_P14 0 1 1)) ?RiemannInt_P15 => [|//|u _]; [ring|lra|by rewrite -e].
Qed.

(** label: thm-c40-path, the losses: rows [i], members that gave what happened the probability [q i k]. *)
Theorem no_harm_on_the_rows (I : finType) (q : I -> K -> R) :
  (forall i k, 0 < q i k) -> (forall k, L k = \rsum_i - ln (q i k)) ->
  \rsum_i - ln (\rsum_k averaged k * q i k) <= \rsum_k averaged k * L k /\
  \rsum_k averaged k * L k = - ln (\rsum_k w k * exp (- L k)) /\
  forall k, - ln (\rsum_k w k * exp (- L k)) <= L k + ln (1 / w k).
Proof.
move=> q0 losses; have [e bound] := path_identity.
have total : \rsum_k averaged k * L k = - ln (\rsum_k w k * exp (- L k)).
  have f : path_mean = (fun u => \rsum_k L k * path_weight u k).
    apply: FunctionalExtensionality.functional_extensionality => u.
    by apply: eq_bigr => k _; rewrite Rmult_comm.
  have pr : Riemann_integrable (fun u => \rsum_k L k * path_weight u k) 0 1.
    by rewrite -f; exact: path_integrable.
  rewrite -e (RiemannInt_P18 path_integrable pr) => [||u _]; [|lra|by rewrite f].
  by rewrite averaged_sum; apply: eq_bigr => k _; rewrite Rmult_comm.
split; last by split=> // k; rewrite -e.
rewrite (eq_bigr (fun k => \rsum_i averaged k * - ln (q i k))); last first.
  by move=> k _; rewrite losses sum_scal.
rewrite exchange_big /=; apply: sum_le => i _.
by have [le _] := average_gains averaged_ge0 averaged_one (q0 i).
Qed.

(** label: thm-c40-path, the weights: [best] is the smallest loss. *)
Theorem least_weight (best : R) k : (forall j, best <= L j) ->
  (best < L k -> w k * (1 - exp (- (L k - best))) / (L k - best) <= averaged k) /\
  (L k = best -> w k <= averaged k).
Proof.
move=> least; have wk := w_pos k.
have at_u u : 0 <= u -> w k * exp (- (u * (L k - best))) <= path_weight u k.
  move=> u0; have p := normaliser_pos u; rewrite /path_weight.
  have small : normaliser u <= exp (- (u * best)).
    have -> : exp (- (u * best)) = \rsum_j w j * exp (- (u * best)) by rewrite -big_distrl /= w_sum; ring.
    apply: sum_le => j _; apply: Rmult_le_compat_l; first by left.
    by apply: exp_le; have := Rmult_le_compat_l u _ _ u0 (least j); lra.
  apply: (Rmult_le_reg_r (normaliser u)) => //.
  have -> : w k * exp (- (u * L k)) / normaliser u * normaliser u = w k * exp (- (u * L k)).
    by field; lra.
  rewrite Rmult_assoc; apply: Rmult_le_compat_l; first lra.
  have -> : exp (- (u * L k)) = exp (- (u * (L k - best))) * exp (- (u * best)).
    by rewrite -exp_plus; congr exp; ring.
  by apply: Rmult_le_compat_l => //; left; exact: exp_pos.
split=> [lt|eq].
  pose D := L k - best; have D0 : 0 < D by rewrite /D; lra.
  pose f u := - (w k / D) * exp (- (u * D)).
  have d x : derivable_pt_lim f x (w k * exp (- (x * D))).
    have -> : w k * exp (- (x * D)) = - (w k / D) * (exp (- D * x) * (- D * 1)).
      by have -> : - D * x = - (x * D); [ring|field; lra].
    have -> : f = (fun u => - (w k / D) * comp exp (fun u => - D * u) u).
      apply: FunctionalExtensionality.functional_extensionality => u.
      by rewrite /f /comp; congr (_ * exp _); ring.
    apply: (derivable_pt_lim_scal (comp exp (fun u => - D * u))).
    apply: (derivable_pt_lim_comp (fun u => - D * u) exp); last exact: derivable_pt_lim_exp.
    by apply: (derivable_pt_lim_scal id); exact: derivable_pt_lim_id.
  have cf : continuity (fun x => w k * exp (- (x * D))).
    move=> x; apply: derivable_continuous_pt.
    have -> : (fun x => w k * exp (- (x * D))) = (fun u => - D * f u).
      by apply: FunctionalExtensionality.functional_extensionality => u; rewrite /f; field; lra.
    by exists (- D * (w k * exp (- (x * D)))); apply: (derivable_pt_lim_scal f); exact: d.
  have pr : Riemann_integrable (fun x => w k * exp (- (x * D))) 0 1.
    by apply: continuity_implies_RiemannInt => [|x _]; [lra|exact: cf].
  have -> : w k * (1 - exp (- (L k - best))) / (L k - best) = RiemannInt pr.
    rewrite (integral pr (f := f)) //; last lra.
    by rewrite /f Rmult_0_l Ropp_0 exp_0 Rmult_1_l -/D; field; lra.
  by apply: RiemannInt_P19 => [|u [u0 _]]; [lra|apply: at_u; lra].
have -> : w k = RiemannInt (RiemannInt_P14 0 1 (w k)) by rewrite RiemannInt_P15; ring.
apply: RiemannInt_P19 => [|u [u0 _]]; first lra.
have := at_u u (Rlt_le _ _ u0); rewrite eq Rminus_diag_eq // Rmult_0_r Ropp_0 exp_0.
by rewrite /fct_cte; lra.
Qed.
End Path.

(** The quotient Gamma(x + k) / Gamma(x) is the product x (x + 1) .. (x + k - 1). *)
Fixpoint rising (x : R) (k : nat) : R := if k is j.+1 then rising x j * (x + INR j) else 1.

Lemma rising_pos x k : 0 < x -> 0 < rising x k.
Proof.
move=> x0; elim: k => /= [|k IH]; first lra.
by apply: Rmult_lt_0_compat => //; have := pos_INR k; lra.
Qed.

(** The evidence of a bin with [m] positives and [n] negatives under the prior Beta(a, b). *)
Definition Q (m n : nat) (a b : R) := rising a m * rising b n / rising (a + b) (m + n).

Section Sequential.
(** Labels come one by one, in any order: label [z t] is in bin [g t]. *)
Variables (B : finType) (z : nat -> bool) (g : nat -> B) (a b : B -> R).
Hypotheses (a_pos : forall k, 0 < a k) (b_pos : forall k, 0 < b k).
Fixpoint positives t k := if t is u.+1 then (positives u k + (z u && (g u == k)))%N else 0%N.
Fixpoint negatives t k := if t is u.+1 then (negatives u k + (~~ z u && (g u == k)))%N else 0%N.
Definition prediction t (k : B) :=
  (INR (positives t k) + a k) / (INR (positives t k) + INR (negatives t k) + a k + b k).
Definition evidence t := \rprod_k Q (positives t k) (negatives t k) (a k) (b k).

Lemma Q_pos m n k : 0 < Q m n (a k) (b k).
Proof.
have ab : 0 < a k + b k by have := a_pos k; have := b_pos k; lra.
apply: Rdiv_lt_0_compat; last exact: rising_pos.
by apply: Rmult_lt_0_compat; exact: rising_pos.
Qed.

Lemma evidence_pos t : 0 < evidence t.
Proof.
by apply: (big_ind (fun x => 0 < x)) => [|x y|k _]; [lra|exact: Rmult_lt_0_compat|exact: Q_pos].
Qed.

Lemma evidence_next t : evidence t.+1 =
  evidence t * (if z t then prediction t (g t) else 1 - prediction t (g t)).
Proof.
rewrite /evidence (bigD1 (g t)) //= [in RHS](bigD1 (g t)) //=.
rewrite (eq_bigr (fun k => Q (positives t k) (negatives t k) (a k) (b k))); last first.
  by move=> k ne; rewrite eq_sym (negbTE ne) !andbF !addn0.
rewrite eqxx !andbT; set rest := \big[Rmult/1]_(_ | _) _.
set m := positives t (g t); set n := negatives t (g t).
have A := a_pos (g t); have B0 := b_pos (g t).
have d := rising_pos (m + n) (x := a (g t) + b (g t)) ltac:(lra).
have mn : INR (m + n) = INR m + INR n by exact: plus_INR.
have m0 := pos_INR m; have n0 := pos_INR n.
rewrite /prediction -/m -/n; case: (z t) => /=.
  by rewrite addn1 addn0 /Q addSn /= mn; field; lra.
by rewrite addn1 addn0 /Q addnS /= mn; field; lra.
Qed.

(** label: prop-c11-sequential *)
Theorem evidence_is_log_loss t :
  prefix (fun u => loss_log (z u) (prediction u (g u))) t = - ln (evidence t).
Proof.
elim: t => [|t IH].
  rewrite /= /evidence big1 => [|k _]; first by rewrite ln_1; ring.
  by rewrite /Q /=; field.
have p : 0 < (if z t then prediction t (g t) else 1 - prediction t (g t)).
  by have := evidence_pos t.+1; have := evidence_pos t; rewrite evidence_next; nra.
rewrite /= IH evidence_next ln_mult //; last exact: evidence_pos.
by rewrite /loss_log; ring.
Qed.
End Sequential.

Section Integral.
(** The likelihood of [m] positives and [n] negatives in a bin of frequency [x]. *)
Definition likelihood m n (x : R) := x ^ m * (1 - x) ^ n.

Lemma likelihood_derivative m n x : derivable_pt_lim (likelihood m.+1 n.+1) x
  (INR m.+1 * likelihood m n.+1 x - INR n.+1 * likelihood m.+1 n x).
Proof.
have -> : INR m.+1 * likelihood m n.+1 x - INR n.+1 * likelihood m.+1 n x =
   INR m.+1 * x ^ m * (1 - x) ^ n.+1 + x ^ m.+1 * (INR n.+1 * (1 - x) ^ n * (0 - 1)).
  by rewrite /likelihood; ring.
apply: (derivable_pt_lim_mult (fun x => x ^ m.+1) (fun x => (1 - x) ^ n.+1)).
  exact: (derivable_pt_lim_pow x m.+1).
apply: (derivable_pt_lim_comp (fun x => 1 - x) (fun y => y ^ n.+1)).
  by apply: (derivable_pt_lim_minus (fct_cte 1) id); [exact: derivable_pt_lim_const|exact: derivable_pt_lim_id].
exact: (derivable_pt_lim_pow (1 - x) n.+1).
Qed.

Lemma likelihood_continuous m n : continuity (likelihood m n).
Proof.
apply: (continuity_mult (fun x => x ^ m) (fun x => (1 - x) ^ n)).
  by move=> x; apply: derivable_continuous_pt; exact: derivable_pt_pow.
apply: (continuity_comp (fun x => 1 - x) (fun y => y ^ n)).
  by apply: (continuity_minus (fct_cte 1) id); apply: derivable_continuous;
    [exact: derivable_const|exact: derivable_id].
by move=> x; apply: derivable_continuous_pt; exact: derivable_pt_pow.
Qed.

Lemma integrable m n : Riemann_integrable (likelihood m n) 0 1.
Proof. by apply: continuity_implies_RiemannInt => [|x _]; [lra|exact: likelihood_continuous]. Qed.

Definition beta m n := RiemannInt (integrable m n).

Lemma beta_step m n : INR m.+1 * beta m n.+1 = INR n.+1 * beta m.+1 n.
Proof.
pose f' x := INR m.+1 * likelihood m n.+1 x + - INR n.+1 * likelihood m.+1 n x.
have cf : continuity f'.
  apply: (continuity_plus (fun x => INR m.+1 * likelihood m n.+1 x)
    (fun x => - INR n.+1 * likelihood m.+1 n x)); by apply: continuity_scal; exact: likelihood_continuous.
have pr : Riemann_integrable f' 0 1.
  by apply: continuity_implies_RiemannInt => [|x _]; [lra|exact: cf].
have le01 : 0 <= 1 by lra.
have d x : derivable_pt_lim (likelihood m.+1 n.+1) x (f' x).
  have -> : f' x = INR m.+1 * likelihood m n.+1 x - INR n.+1 * likelihood m.+1 n x by rewrite /f'; ring.
  exact: likelihood_derivative.
have e := integral pr le01 d cf.
have z : likelihood m.+1 n.+1 1 - likelihood m.+1 n.+1 0 = 0 by rewrite /likelihood /=; ring.
have pr1 : Riemann_integrable (fun x => INR m.+1 * likelihood m n.+1 x) 0 1.
  exact: Riemann_integrable_scal (integrable m n.+1).
have l := RiemannInt_P13 pr1 (integrable m.+1 n) pr.
have z0 : Riemann_integrable (fct_cte 0) 0 1 by exact: RiemannInt_P14.
have pr2 : Riemann_integrable (fun x => fct_cte 0 x + INR m.+1 * likelihood m n.+1 x) 0 1.
  exact: RiemannInt_P10 z0 (integrable m n.+1).
have l2 := RiemannInt_P13 z0 (integrable m n.+1) pr2.
have same : RiemannInt pr2 = RiemannInt pr1.
  by apply: RiemannInt_P18 => // x _; rewrite /fct_cte; ring.
rewrite RiemannInt_P15 in l2; rewrite e z in l; rewrite /beta; lra.
Qed.

Lemma beta_last m : INR m.+1 * beta m 0 = 1.
Proof.
have le01 : 0 <= 1 by lra.
pose f x := / INR m.+1 * x ^ m.+1.
have n0 : INR m.+1 <> 0 by exact: not_0_INR.
have d x : derivable_pt_lim f x (likelihood m 0 x).
  have -> : likelihood m 0 x = / INR m.+1 * (INR m.+1 * x ^ m).
    by rewrite /likelihood [(1 - x) ^ 0]/= -Rmult_assoc Rinv_l //; ring.
  by apply: (derivable_pt_lim_scal (fun x => x ^ m.+1)); exact: (derivable_pt_lim_pow x m.+1).
rewrite /beta (integral (integrable m 0) le01 d (@likelihood_continuous m 0)) /f pow1 pow_i; last exact/ltP.
by rewrite Rmult_0_r Rminus_0_r Rmult_1_r Rinv_r.
Qed.

(** The integral of the likelihood is m! n! / (m + n + 1)!. *)
Theorem beta_closed_form m n : beta m n = INR (m`!) * INR (n`!) / INR ((m + n).+1`!).
Proof.
have f0 k : INR k`! <> 0 by apply: not_0_INR; apply/eqP; rewrite -lt0n fact_gt0.
elim: n m => [|n IH] m.
  have n0 : INR m.+1 <> 0 by exact: not_0_INR.
  apply: (Rmult_eq_reg_l (INR m.+1)) => //; rewrite beta_last addn0 factS mult_INR fact0 /=.
  by field; split => //; exact: f0.
have n0 : INR m.+1 <> 0 by exact: not_0_INR.
apply: (Rmult_eq_reg_l (INR m.+1)) => //; rewrite beta_step IH addSnnS !factS !mult_INR.
by field; do ?split => //; rewrite -?mult_INR -?factS; try exact: f0; exact: not_0_INR.
Qed.

Lemma rising_fact a m : rising (INR a.+1) m = INR ((a + m)`!) / INR (a`!).
Proof.
have f0 k : INR k`! <> 0 by apply: not_0_INR; apply/eqP; rewrite -lt0n fact_gt0.
elim: m => [|m IH]; first by rewrite addn0 /=; field; exact: f0.
have -> : rising (INR a.+1) m.+1 = rising (INR a.+1) m * (INR a.+1 + INR m) by [].
rewrite IH addnS factS mult_INR -[(a + m).+1]addSn plus_INR.
by field; exact: f0.
Qed.

(** label: thm-c11-evidence, one bin, whole numbers a + 1 and b + 1 as the parameters of the prior: the
    mean of the likelihood under the prior density, and the mean of the posterior. *)
Theorem evidence_of_bin m n a b :
  beta (a + m) (b + n) / beta a b = Q m n (INR a.+1) (INR b.+1) /\
  beta (a + m).+1 (b + n) / beta (a + m) (b + n) =
    (INR m + INR a.+1) / (INR m + INR n + INR a.+1 + INR b.+1).
Proof.
have f0 k : INR k`! <> 0 by apply: not_0_INR; apply/eqP; rewrite -lt0n fact_gt0.
have e : INR a.+1 + INR b.+1 = INR (a + b).+2 by rewrite -plus_INR; congr INR; rewrite plusE addSn addnS.
split.
  rewrite /Q e !rising_fact !beta_closed_form.
  have -> : (a + m + (b + n)).+1 = ((a + b).+1 + (m + n))%N by rewrite addSn addnACA.
  by field; do ?split; exact: f0.
rewrite !beta_closed_form [in (_.+1 + _)%N]addSn.
set N := (a + m + (b + n))%N; rewrite [(N.+1).+1`!]factS [(a + m).+1`!]factS !mult_INR.
have -> : INR m + INR a.+1 = INR (a + m).+1 by rewrite -plus_INR; congr INR; rewrite plusE addnS addnC.
have -> : INR m + INR n + INR a.+1 + INR b.+1 = INR N.+2.
  by rewrite -!plus_INR; congr INR; rewrite /N !plusE !addnS addSn addnACA [(a + b + _)%N]addnC addnA.
have n2 : INR N.+2 <> 0 by exact: not_0_INR.
by field; do ?split => //; try exact: f0; exact: not_0_INR.
Qed.
End Integral.
