(** Venn predictors are valid: finitely many objects, any exchangeable law. *)
From Calibration Require Import Fin.

Section Venn.
(** A sequence of [N] observations and a last one, which is the test observation and has the
    position [ord_max].  Each has an object of [X] and a label. *)
Variables (X : finType) (N : nat).
Definition sequence := {ffun 'I_N.+1 -> X * bool}.
Definition label (v : sequence) i := (v i).2.
Definition reorder (v : sequence) (s : 'I_N.+1 -> 'I_N.+1) : sequence := [ffun i => v (s i)].

(** A law is exchangeable if all orders of a sequence have the same probability. *)
Definition exchangeable (P : law [finType of sequence]) :=
  forall v s, injective s -> P (reorder v s) = P v.

(** A taxonomy gives each sequence an equivalence relation of its positions, which moves along when
    the observations are reordered. *)
Variable same : sequence -> rel 'I_N.+1.
Definition equivariant :=
  forall v s, injective s -> forall i j, same (reorder v s) i j = same v (s i) (s j).
Hypothesis same_equiv : forall v, equivalence_rel (same v).

(** Size and mean label of the class of position [i]. *)
Definition class_size v i := \rsum_j ind (same v i j).
Definition class_mean v i := (\rsum_j ind (same v i j) * ind (label v j)) / class_size v i.

(** The probability [p_c] of the pair: the class mean if the last label is [c]; [selected] is the one
    of the true label. *)
Definition postulate (v : sequence) (c : bool) : sequence :=
  [ffun i => if i == ord_max then ((v i).1, c) else v i].
Definition venn c v := class_mean (postulate v c) ord_max.
Definition selected v := venn (label v ord_max) v.

Lemma selected_mean v : selected v = class_mean v ord_max.
Proof.
rewrite /selected /venn; congr class_mean; apply/ffunP => i; rewrite ffunE.
by case: eqP => [->|//]; rewrite /label; case: (v ord_max).
Qed.

Lemma class_size_gt0 v i : 0 < class_size v i.
Proof.
have e : same v i i by case: (same_equiv v i i i).
have : ind (same v i i) <= class_size v i.
  by apply: (sum_term (P := xpredT) (f := fun j => ind (same v i j))) => // j _;
    rewrite /ind; case: ifP; lra.
by rewrite /ind e; lra.
Qed.

Lemma class_mean_same v i j : same v i j -> class_mean v i = class_mean v j.
Proof.
move=> h; have e k : same v i k = same v j k by case: (same_equiv v i j k) => _ /(_ h).
rewrite /class_mean /class_size; congr (_ / _); apply: eq_bigr => k _; by rewrite e.
Qed.

(** In every class the labels minus their mean add up to 0. *)
Lemma residuals_zero v (h : R -> R) :
  \rsum_i (ind (label v i) - class_mean v i) * h (class_mean v i) = 0.
Proof.
pose F i := (ind (label v i) - class_mean v i) * h (class_mean v i).
pose W i j := ind (same v i j) / class_size v j.
have W1 i : \rsum_j W j i = 1.
  have -> : \rsum_j W j i = \rsum_j (/ class_size v i * ind (same v i j)).
    apply: eq_bigr => j _; rewrite /W /Rdiv Rmult_comm; congr (_ * ind _).
    by apply/idP/idP => s; case: (same_equiv v i j i); case: (same_equiv v j i j) => // r1 t1 r2 t2;
      [rewrite -(t1 s)|rewrite -(t2 s)].
  rewrite sum_scal -/(class_size v i); field; have := class_size_gt0 v i; lra.
have -> : \rsum_i F i = \rsum_i \rsum_j W j i * F i.
  by apply: eq_bigr => i _; rewrite -big_distrl /= W1; ring.
rewrite exchange_big /=; apply: big1 => j _.
have -> : \rsum_i W j i * F i =
    h (class_mean v j) / class_size v j *
    \rsum_i (ind (same v j i) * ind (label v i) - class_mean v j * ind (same v j i)).
  rewrite -sum_scal; apply: eq_bigr => i _; rewrite /W /F.
  case e: (same v j i); last by rewrite /ind /Rdiv; ring.
  rewrite -(class_mean_same e).
  have -> : class_size v i = class_size v j.
    rewrite /class_size; apply: eq_bigr => k _; congr ind.
    by case: (same_equiv v j i k) => _ /(_ e).
  by rewrite /ind /Rdiv; ring.
have e : \rsum_i ind (same v j i) * ind (label v i) = class_mean v j * class_size v j.
  by rewrite /class_mean; have p := class_size_gt0 v j; field; lra.
by rewrite sum_sub sum_scal -/(class_size v j) e; ring.
Qed.

Variable P : law [finType of sequence].
Hypotheses (exch : exchangeable P) (equi : equivariant).

Lemma class_mean_reorder v s i : injective s -> class_mean (reorder v s) i = class_mean v (s i).
Proof.
move=> si; rewrite /class_mean /class_size; congr (_ / _);
  rewrite [RHS](reindex_inj si) /=; apply: eq_bigr => j _; rewrite equi //.
by rewrite /label ffunE.
Qed.

(** Exchange position i and the last one. *)
Definition exchange (i k : 'I_N.+1) :=
  if k == i then ord_max else if k == ord_max then i else k.

Lemma exchangeK i : involutive (exchange i).
Proof.
move=> k; rewrite /exchange; case: (k =P i) => [->|ki]; first by case: eqP => [|_]; rewrite ?eqxx.
case: (k =P ord_max) => [->|kn]; first by rewrite eqxx.
by move/eqP: ki => /negbTE ->; move/eqP: kn => /negbTE ->.
Qed.

Lemma reorderK i : involutive (reorder^~ (exchange i)).
Proof. by move=> v; apply/ffunP => k; rewrite !ffunE exchangeK. Qed.

(** Every position has the same expectation of (label - mean) h(mean). *)
Lemma swap h i :
  E P (fun v => (ind (label v ord_max) - class_mean v ord_max) * h (class_mean v ord_max)) =
  E P (fun v => (ind (label v i) - class_mean v i) * h (class_mean v i)).
Proof.
have si := inv_inj (exchangeK i).
have ei : exchange i ord_max = i by rewrite /exchange eqxx; case: eqP.
rewrite [LHS]/E (reindex_inj (inv_inj (@reorderK i))) /=; apply: eq_bigr => v _.
by rewrite exch // !class_mean_reorder // /label ffunE ei.
Qed.

(** label: thm-c18-valid, every function [h] of the selected probability. *)
Theorem venn_valid h :
  E P (fun v => (ind (label v ord_max) - selected v) * h (selected v)) = 0.
Proof.
have e : E P (fun v => (ind (label v ord_max) - selected v) * h (selected v)) =
    E P (fun v => (ind (label v ord_max) - class_mean v ord_max) * h (class_mean v ord_max)).
  by apply: E_ext => v; rewrite selected_mean.
rewrite e; set x := E _ _.
have : INR N.+1 * x = 0.
  have -> : INR N.+1 * x = \rsum_(i | i \in 'I_N.+1) x by rewrite sum_const card_ord.
  have -> : \rsum_(i | i \in 'I_N.+1) x =
      \rsum_i E P (fun v => (ind (label v i) - class_mean v i) * h (class_mean v i)).
    by apply: eq_bigr => i _; rewrite /x (swap h i).
  rewrite -E_sum -[RHS](E_const P 0).
  by apply: E_ext => v; exact: residuals_zero.
by case/Rmult_integral => // h0; have := lt_0_INR N.+1 (Nat.lt_0_succ N); lra.
Qed.

(** label: thm-c18-valid, as a conditional probability, given a value that occurs. *)
Corollary venn_calibrated a : 0 < Pr P (fun v => eqb (selected v) a) ->
  Pr P (fun v => label v ord_max && eqb (selected v) a) / Pr P (fun v => eqb (selected v) a) = a.
Proof.
move=> p; have := venn_valid (fun x => ind (eqb x a)).
have -> : E P (fun v => (ind (label v ord_max) - selected v) * ind (eqb (selected v) a)) =
   E P (fun v => ind (label v ord_max && eqb (selected v) a) - a * ind (eqb (selected v) a)).
  apply: E_ext => v; case: eqbP => [->|_]; rewrite ?andbT ?andbF /ind; ring.
rewrite E_sub E_scal -/(Pr P _) => h.
have -> : Pr P (fun v => label v ord_max && eqb (selected v) a) =
   a * Pr P (fun v => eqb (selected v) a) by rewrite /Pr in h *; lra.
by field; lra.
Qed.

(** label: cor-c18-large *)
Theorem unbiased_in_the_large :
  E P (fun v => Rmin (venn false v) (venn true v)) <= Pr P (fun v => label v ord_max) <=
  E P (fun v => Rmax (venn false v) (venn true v)).
Proof.
have e : Pr P (fun v => label v ord_max) = E P (fun v => selected v).
  have := venn_valid (fun=> 1); rewrite (E_ext _ (Y := fun v => ind (label v ord_max) - selected v)).
    by rewrite E_sub => h; rewrite /Pr; move: h; set a := E _ _; set b := E _ _; lra.
  by move=> v; ring.
rewrite e; split; apply: E_le => v; rewrite /selected; case: (label v ord_max);
  [exact: Rmin_r|exact: Rmin_l|exact: Rmax_r|exact: Rmax_l].
Qed.
End Venn.

Section Training.
(** A proper training sequence is drawn first: [prior] is its law, and given the sequence [s] the
    [N s] observations and the last one have an exchangeable law [P s].  The taxonomy may depend on [s]. *)
Variables (S X : finType) (N : S -> nat) (prior : law S).
Variables (P : forall s, law [finType of sequence X (N s)])
  (same : forall s, sequence X (N s) -> rel 'I_(N s).+1).
Hypotheses (same_equiv : forall s v, equivalence_rel (@same s v))
  (exch : forall s, exchangeable (P s)) (equi : forall s, equivariant (@same s)).

(** label: thm-c20-ivap, for every taxonomy that the training sequence defines, such as the level sets
    of isotonic regression on the scores of a classifier. *)
Theorem valid_given_training (h : S -> R -> R) :
  E prior (fun s => E (P s) (fun v =>
    (ind (label v ord_max) - selected (@same s) v) * h s (selected (@same s) v))) = 0.
Proof.
rewrite -[RHS](E_const prior 0); apply: E_ext => s.
exact: (venn_valid (@same_equiv s) (@exch s) (@equi s) (h s)).
Qed.

(** label: thm-c38-mondrian, with [s] the training data and the categories of all objects, and [N s]
    cases in the category of the test observation. *)
Corollary valid_within_categories (category : S -> nat) (h : nat -> R -> R) :
  E prior (fun s => E (P s) (fun v => (ind (label v ord_max) - selected (@same s) v)
    * h (category s) (selected (@same s) v))) = 0.
Proof. exact: (valid_given_training (fun s => h (category s))). Qed.
End Training.
