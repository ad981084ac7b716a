(** Sums over finite sets, and laws on finite sets.

    Numbers are the real numbers of Coq's standard library, so that [lra], [nra] and [field] work on
    them.  Sums, products and maxima are the big operators of ssreflect. *)
From Coq Require Export Reals Lra Arith.
From mathcomp Require Export all_ssreflect.
Global Set Implicit Arguments.
Global Unset Strict Implicit.
Global Unset Printing Implicit Defensive.
#[export] Set SsrOldRewriteGoalsOrder.
Open Scope R_scope.

Lemma RplusA : associative Rplus. Proof. by move=> x y z; ring. Qed.
Lemma RmultA : associative Rmult. Proof. by move=> x y z; ring. Qed.
Lemma RmultDl : left_distributive Rmult Rplus. Proof. by move=> x y z; ring. Qed.
Lemma RmultDr : right_distributive Rmult Rplus. Proof. by move=> x y z; ring. Qed.
Canonical Rplus_law := Monoid.Law RplusA Rplus_0_l Rplus_0_r.
Canonical Rplus_com := Monoid.ComLaw Rplus_comm.
Canonical Rmult_law := Monoid.Law RmultA Rmult_1_l Rmult_1_r.
Canonical Rmult_com := Monoid.ComLaw Rmult_comm.
Canonical Rmult_mul := Monoid.MulLaw Rmult_0_l Rmult_0_r.
Canonical Rplus_add := Monoid.AddLaw RmultDl RmultDr.

(** The body of a sum reaches over products and quotients, not over sums: [c * \rsum_i f i * g i + d]
    is [(c * (\rsum_i (f i * g i))) + d]. *)
Notation "\rsum_ ( i | P ) F" := (\big[Rplus/0]_(i | P) F)
  (at level 35, F at level 40, i at level 50, format "\rsum_ ( i  |  P )  F").
Notation "\rsum_ i F" := (\big[Rplus/0]_i F)
  (at level 35, F at level 40, i at level 0, right associativity, format "\rsum_ i  F").
Notation "\rmax_ i F" := (\big[Rmax/0]_i F)
  (at level 35, F at level 40, i at level 0, right associativity, format "\rmax_ i  F").
Notation "\rprod_ ( i | P ) F" := (\big[Rmult/1]_(i | P) F)
  (at level 35, F at level 40, i at level 50, format "\rprod_ ( i  |  P )  F").
Notation "\rprod_ ( i : t ) F" := (\big[Rmult/1]_(i : t) F)
  (at level 35, F at level 40, i at level 50, only parsing).
Notation "\rsum_ ( i : t ) F" := (\big[Rplus/0]_(i : t) F)
  (at level 35, F at level 40, i at level 50, only parsing).
Notation "\rmax_ ( i : t ) F" := (\big[Rmax/0]_(i : t) F)
  (at level 35, F at level 40, i at level 50, only parsing).
Notation "\rsum_ ( i : t | P ) F" := (\big[Rplus/0]_(i : t | P) F)
  (at level 35, F at level 40, i at level 50, only parsing).
Notation "\rprod_ i F" := (\big[Rmult/1]_i F)
  (at level 35, F at level 40, i at level 0, right associativity, format "\rprod_ i  F").

(** Comparisons that return a boolean, and the indicator [ind] of a boolean. *)
Definition ltb (x y : R) : bool := if Rlt_dec x y then true else false.
Definition leb (x y : R) : bool := if Rle_dec x y then true else false.
Definition eqb (x y : R) : bool := if Req_EM_T x y then true else false.
Definition ind (b : bool) : R := if b then 1 else 0.

Lemma ltbP x y : reflect (x < y) (ltb x y).
Proof. by rewrite /ltb; case: Rlt_dec => h; constructor. Qed.
Lemma lebP x y : reflect (x <= y) (leb x y).
Proof. by rewrite /leb; case: Rle_dec => h; constructor. Qed.
Lemma eqbP x y : reflect (x = y) (eqb x y).
Proof. by rewrite /eqb; case: Req_EM_T => h; constructor. Qed.

Lemma mult_div a b : 0 < b -> b * (a / b) = a.
Proof. by move=> b0; field; lra. Qed.

(** Look at every comparison in the goal. *)
Ltac compare_all := repeat match goal with
  | |- context [ltb ?x ?y] => case: (ltbP x y) => ?
  | |- context [leb ?x ?y] => case: (lebP x y) => ?
  | |- context [eqb ?x ?y] => case: (eqbP x y) => ?
  | |- context [Rcase_abs ?x] => case: (Rcase_abs x) => ?
  end.

Section Sums.
Variables (I : finType).
Implicit Types (P : pred I) (f g : I -> R).

Lemma sum_ge0 P f : (forall i, P i -> 0 <= f i) -> 0 <= \rsum_(i | P i) f i.
Proof.
by move=> h; apply: (big_ind (fun x => 0 <= x)) => // [|x y hx hy]; lra.
Qed.

Lemma sum_le P f g : (forall i, P i -> f i <= g i) -> \rsum_(i | P i) f i <= \rsum_(i | P i) g i.
Proof.
by move=> h; apply: (big_ind2 (fun x y => x <= y)) => // [|x a y b hx hy]; lra.
Qed.

Lemma sum_scal P c f : \rsum_(i | P i) (c * f i) = c * \rsum_(i | P i) f i.
Proof. by rewrite big_distrr. Qed.

Lemma sum_opp P f : \rsum_(i | P i) (- f i) = - \rsum_(i | P i) f i.
Proof. by apply: (big_ind2 (fun x y => x = - y)) => // [|x a y b -> ->]; ring. Qed.

Lemma sum_sub P f g :
  \rsum_(i | P i) (f i - g i) = \rsum_(i | P i) f i - \rsum_(i | P i) g i.
Proof. by rewrite /Rminus -sum_opp -big_split. Qed.

Lemma sum_abs P f : Rabs (\rsum_(i | P i) f i) <= \rsum_(i | P i) Rabs (f i).
Proof.
apply: (big_ind2 (fun x y => Rabs x <= y)) => [|x a y b hx hy|i _]; first by rewrite Rabs_R0; lra.
  by have := Rabs_triang x y; lra.
lra.
Qed.

Lemma sum_term P f i : (forall j, P j -> 0 <= f j) -> P i -> f i <= \rsum_(j | P j) f j.
Proof.
move=> h Pi; rewrite (bigD1 i) //=.
suff: 0 <= \rsum_(j | P j && (j != i)) f j by lra.
by apply: sum_ge0 => j /andP[/h].
Qed.

Lemma sum_zero P f : (forall i, P i -> 0 <= f i) -> \rsum_(i | P i) f i = 0 ->
  forall i, P i -> f i = 0.
Proof. by move=> h e i Pi; have := sum_term h Pi; have := h i Pi; rewrite e; lra. Qed.

Lemma sum_ind P f : \rsum_(i | P i) f i = \rsum_i ind (P i) * f i.
Proof.
by rewrite big_mkcond; apply: eq_bigr => i _; rewrite /ind; case: (P i); ring.
Qed.

Lemma max_ub f i : f i <= \rmax_i f i.
Proof.
rewrite unlock; have: i \in index_enum I by rewrite mem_index_enum.
elim: (index_enum I) => //= j s IH; rewrite inE => /orP[/eqP <-|/IH h].
  exact: Rmax_l.
by apply: Rle_trans h _; exact: Rmax_r.
Qed.

Lemma max_le f M : 0 <= M -> (forall i, f i <= M) -> \rmax_i f i <= M.
Proof.
move=> h0 h; apply: (big_ind (fun x => x <= M)) => // x y hx hy; exact: Rmax_lub.
Qed.

Lemma max_ge0 f : 0 <= \rmax_i f i.
Proof.
rewrite unlock; elim: (index_enum I) => //= [|j s IH]; first lra.
by apply: Rle_trans IH _; exact: Rmax_r.
Qed.

(** Weights are not negative: a weighted sum is at most a bound of the values times the weights. *)
Lemma sum_weighted_le P w f M : (forall i, P i -> 0 <= w i) -> (forall i, P i -> f i <= M) ->
  \rsum_(i | P i) (w i * f i) <= M * \rsum_(i | P i) w i.
Proof.
move=> hw hf; rewrite -sum_scal; apply: sum_le => i Pi.
by have := hw i Pi; have := hf i Pi; nra.
Qed.

(** The square of a weighted mean is at most the weighted mean of the squares. *)
Lemma mean_sqr w f : (forall i, 0 <= w i) -> \rsum_i w i = 1 ->
  Rsqr (\rsum_i w i * f i) <= \rsum_i w i * Rsqr (f i).
Proof.
move=> w0 w1; set m := \rsum_i _.
have e : \rsum_i w i * Rsqr (f i - m) = \rsum_i w i * Rsqr (f i) - Rsqr m.
  rewrite (eq_bigr (fun i => w i * Rsqr (f i) + (- 2 * m * (w i * f i) + Rsqr m * w i))); last first.
    by move=> i _; rewrite /Rsqr; ring.
  by rewrite !big_split /= !sum_scal w1 -/m /Rsqr; ring.
suff: 0 <= \rsum_i w i * Rsqr (f i - m) by rewrite e; lra.
by apply: sum_ge0 => i _; apply: Rmult_le_pos => //; exact: Rle_0_sqr.
Qed.
End Sums.

Lemma sum_const (I : finType) c : \rsum_(i | i \in I) c = INR #|I| * c.
Proof.
rewrite big_const; elim: #|I| => [|n IH]; first by rewrite /=; ring.
by rewrite iterS IH S_INR; ring.
Qed.

Lemma sum_const_pred (I : finType) (A : pred I) c : \rsum_(i | A i) c = INR #|A| * c.
Proof.
have -> : \rsum_(i | A i) c = \rsum_(i | i \in A) c by apply: eq_bigl.
rewrite big_const; elim: #|A| => [|n IH]; first by rewrite /=; ring.
by rewrite iterS IH S_INR; ring.
Qed.

(** A law on a finite set [T] gives each element a mass.  [E P X] is the mean of [X], and [Pr P A]
    the probability of the event [A]. *)
Record law (T : finType) := Law {
  mass :> T -> R;
  mass_ge0 : forall t, 0 <= mass t;
  mass_sum : \rsum_t mass t = 1 }.

Definition E (T : finType) (P : law T) (X : T -> R) : R := \rsum_t P t * X t.
Definition Pr (T : finType) (P : law T) (A : pred T) : R := E P (fun t => ind (A t)).

Section Expectation.
Variables (T : finType) (P : law T).
Implicit Types X Y : T -> R.

Lemma E_le X Y : (forall t, X t <= Y t) -> E P X <= E P Y.
Proof. by move=> h; apply: sum_le => t _; have := h t; have := mass_ge0 P t; nra. Qed.

Lemma E_ext X Y : X =1 Y -> E P X = E P Y.
Proof. by move=> h; apply: eq_bigr => t _; rewrite h. Qed.

Lemma E_add X Y : E P (fun t => X t + Y t) = E P X + E P Y.
Proof. by rewrite /E -big_split; apply: eq_bigr => t _ /=; ring. Qed.

Lemma E_sub X Y : E P (fun t => X t - Y t) = E P X - E P Y.
Proof. by rewrite /E -sum_sub; apply: eq_bigr => t _ /=; ring. Qed.

Lemma E_scal c X : E P (fun t => c * X t) = c * E P X.
Proof. by rewrite /E -sum_scal; apply: eq_bigr => t _ /=; ring. Qed.

Lemma E_const c : E P (fun=> c) = c.
Proof. by rewrite /E -big_distrl /= mass_sum; ring. Qed.

Lemma E_sum (I : finType) (Q : pred I) (X : I -> T -> R) :
  E P (fun t => \rsum_(i | Q i) X i t) = \rsum_(i | Q i) E P (X i).
Proof.
rewrite /E exchange_big /=; apply: eq_bigr => t _; by rewrite big_distrr.
Qed.

(** The mean of the size of X is at most the root of its mean square. *)
Lemma E_abs_le_sqrt X : E P (fun t => Rabs (X t)) <= sqrt (E P (fun t => Rsqr (X t))).
Proof.
have h := mean_sqr (fun t => Rabs (X t)) (mass_ge0 P) (mass_sum P).
have e : \rsum_t P t * Rsqr (Rabs (X t)) = E P (fun t => Rsqr (X t)).
  by apply: eq_bigr => t _; rewrite -Rsqr_abs.
rewrite e in h.
have h0 : 0 <= E P (fun t => Rabs (X t)).
  by apply: sum_ge0 => t _; apply: Rmult_le_pos; [exact: mass_ge0|exact: Rabs_pos].
rewrite -[X in X <= _]sqrt_Rsqr //; exact: sqrt_le_1_alt.
Qed.

Lemma E_ge0 X : (forall t, 0 <= X t) -> 0 <= E P X.
Proof. by move=> h; rewrite -(E_const 0); exact: E_le. Qed.

Lemma E_opp X : E P (fun t => - X t) = - E P X.
Proof.
have -> : - E P X = -1 * E P X by ring.
by rewrite -E_scal; apply: E_ext => t; ring.
Qed.

Lemma Pr_range (A : pred T) : 0 <= Pr P A <= 1.
Proof.
split; first by apply: E_ge0 => t; rewrite /ind; case: (A t); lra.
by rewrite -[X in _ <= X](E_const 1); apply: E_le => t; rewrite /ind; case: (A t); lra.
Qed.

Lemma Pr_le (A B : pred T) : (forall t, A t -> B t) -> Pr P A <= Pr P B.
Proof.
move=> h; apply: E_le => t; have := h t; rewrite /ind.
by case: (A t); case: (B t) => // a; try lra; have := a isT.
Qed.

Lemma Pr_ext (A B : pred T) : A =1 B -> Pr P A = Pr P B.
Proof. by move=> h; apply: E_ext => t; rewrite h. Qed.

Lemma Pr_not (A : pred T) : Pr P (fun t => ~~ A t) = 1 - Pr P A.
Proof.
rewrite /Pr -[X in X - _](E_const 1) -E_sub; apply: E_ext => t; rewrite /ind; case: (A t) => /=; ring.
Qed.

(** The union bound. *)
Lemma Pr_exists (I : finType) (A : I -> pred T) :
  Pr P (fun t => [exists i, A i t]) <= \rsum_i Pr P (A i).
Proof.
rewrite /Pr -E_sum; apply: E_le => t; case: existsP => [[i a]|_] /=.
  have -> : 1 = ind (A i t) by rewrite a.
  apply: (sum_term (P := xpredT) (f := fun i => ind (A i t))) => // j _.
  by rewrite /ind; case: ifP; lra.
by apply: sum_ge0 => i _; rewrite /ind; case: ifP; lra.
Qed.

(** Markov's inequality. *)
Lemma markov X a : (forall t, 0 <= X t) -> 0 < a -> Pr P (fun t => leb a (X t)) <= E P X / a.
Proof.
move=> X0 a0; have -> : E P X / a = / a * E P X by rewrite /Rdiv Rmult_comm.
rewrite -E_scal; apply: E_le => t; rewrite /ind; have i0 := Rinv_0_lt_compat _ a0.
case: lebP => [le|_]; last by apply: Rmult_le_pos; [lra|exact: X0].
by apply: (Rmult_le_reg_l a) => //; rewrite -Rmult_assoc Rinv_r; lra.
Qed.
End Expectation.

Lemma sum_bool (f : bool -> R) : \rsum_(b : bool) f b = f true + f false.
Proof. by rewrite big_bool. Qed.

Lemma ind_range b : 0 <= ind b <= 1.
Proof. by case: b; rewrite /ind; lra. Qed.

Lemma Rsqr_ge0 x : 0 <= Rsqr x. Proof. exact: Rle_0_sqr. Qed.

(** The sum of the first n values of a sequence. *)
Fixpoint prefix (f : nat -> R) (n : nat) : R := if n is m.+1 then prefix f m + f m else 0.

Lemma prefix_ext f g n : (forall i, (i < n)%N -> f i = g i) -> prefix f n = prefix g n.
Proof. by elim: n => //= n IH h; rewrite h // IH // => i hi; apply: h; exact: ltnW. Qed.

Lemma prefix_add f g n : prefix (fun i => f i + g i) n = prefix f n + prefix g n.
Proof. by elim: n => /= [|n ->]; ring. Qed.

Lemma prefix_sub f g n : prefix (fun i => f i - g i) n = prefix f n - prefix g n.
Proof. by elim: n => /= [|n ->]; ring. Qed.

Lemma prefix_scal c f n : prefix (fun i => c * f i) n = c * prefix f n.
Proof. by elim: n => /= [|n ->]; ring. Qed.

Lemma prefix_le f g n : (forall i, (i < n)%N -> f i <= g i) -> prefix f n <= prefix g n.
Proof.
elim: n => /= [|n IH] h; first lra.
have := h n (ltnSn n); have : prefix f n <= prefix g n by apply: IH => i hi; apply: h; exact: ltnW.
lra.
Qed.

Lemma prefix_ge0 f n : (forall i, (i < n)%N -> 0 <= f i) -> 0 <= prefix f n.
Proof.
move=> h; have -> : 0 = prefix (fun=> 0) n by elim: n {h} => //= n <-; ring.
exact: prefix_le.
Qed.

Lemma prefix_zero f n : (forall i, (i < n)%N -> 0 <= f i) -> prefix f n <= 0 ->
  forall i, (i < n)%N -> f i = 0.
Proof.
elim: n => // n IH h /= le; have h' i (hi : (i < n)%N) : 0 <= f i by apply: h; exact: ltnW.
have a := h n (ltnSn n); have b := prefix_ge0 h'.
move=> i; rewrite ltnS leq_eqVlt => /orP[/eqP ->|]; first lra.
by apply: IH => //; lra.
Qed.

Lemma prefix_shift f a j : prefix f (a + j) = prefix f a + prefix (fun i => f (a + i)%N) j.
Proof. by elim: j => [|j IH]; rewrite ?addn0 ?addnS /= ?IH; ring. Qed.

Lemma prefix_pos f n : (forall i, (i < n.+1)%N -> 0 < f i) -> 0 < prefix f n.+1.
Proof.
move=> h /=; have := h n (ltnSn n); have : 0 <= prefix f n; last lra.
by apply: prefix_ge0 => i hi; left; apply: h; exact: ltnW.
Qed.

(** Summation by parts. *)
Lemma by_parts f q n :
  prefix (fun i => f i * q i) n.+1 =
  prefix f n.+1 * q n - prefix (fun i => prefix f i.+1 * (q i.+1 - q i)) n.
Proof. by elim: n => [|n IH] /=; [ring|move: IH => /= ->; ring]. Qed.
