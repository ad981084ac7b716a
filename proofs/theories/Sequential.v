(** Betting against probabilities, row by row, with a finite horizon. *)
From Calibration Require Import Fin Scores Average.

Section Guard.
(** [n] rows.  Before the label of row [t] is seen, the history [see t w : S] is known.  It holds the
    earlier history and the label before: [forget] and [last] read them off.  The map in use
    predicts [p t] and the challenger [q t], from the history. *)
Variables (W : finType) (P : law W) (n : nat) (z : nat -> W -> bool) (S : Type).
Variables (see : nat -> W -> S) (forget : nat -> S -> S) (last : nat -> S -> bool).
Hypotheses (forget_see : forall t w, forget t (see t.+1 w) = see t w)
  (last_see : forall t w, last t (see t.+1 w) = z t w).
Variables (p q : nat -> S -> R).
Hypotheses (p_range : forall t s, 0 < p t s < 1) (q_range : forall t s, 0 < q t s < 1).
(** The map in use is exactly calibrated, given the history. *)
Hypothesis calibrated : forall t (h : S -> R), (t < n)%N ->
  E P (fun w => (ind (z t w) - p t (see t w)) * h (see t w)) = 0.

Definition factor t w :=
  if z t w then q t (see t w) / p t (see t w) else (1 - q t (see t w)) / (1 - p t (see t w)).
Fixpoint wealth t w := if t is u.+1 then wealth u w * factor u w else 1.
Fixpoint reached c t w := leb c (wealth t w) || (if t is u.+1 then reached c u w else false).

(** Wealth, and whether it has reached c, are known from the history. *)
Lemma wealth_known t : exists m : S -> R, forall w, wealth t w = m (see t w).
Proof.
elim: t => [|t [m h]] /=; first by exists (fun=> 1).
exists (fun s => m (forget t s) * (if last t s then q t (forget t s) / p t (forget t s)
  else (1 - q t (forget t s)) / (1 - p t (forget t s)))) => w.
by rewrite h /factor forget_see last_see.
Qed.

Lemma reached_known c t : exists r : S -> bool, forall w, reached c t w = r (see t w).
Proof.
elim: t => [|t [r h]] /=; first by exists (fun=> leb c 1 || false).
have [m e] := wealth_known t.+1; exists (fun s => leb c (m s) || r (forget t s)) => w.
by rewrite h -e forget_see.
Qed.

Lemma wealth_pos t w : 0 < wealth t w.
Proof.
elim: t => /= [|t IH]; first lra.
apply: Rmult_lt_0_compat => //; rewrite /factor; have := p_range t (see t w).
by have := q_range t (see t w); case: (z t w) => ? ?; apply: Rdiv_lt_0_compat; lra.
Qed.

(** Wealth that is not touched any more once it has reached c. *)
Fixpoint stopped c t w :=
  if t is u.+1 then (if reached c u w then stopped c u w else wealth t w) else 1.

Lemma not_reached c t w : reached c t w = false -> stopped c t w = wealth t w.
Proof. by case: t => //= t; case: (reached c t w) => //; rewrite orbT. Qed.

Lemma stopped_mean c t : (t <= n)%N -> E P (stopped c t) = 1.
Proof.
elim: t => [_|t IH tn]; first by rewrite -[RHS](E_const P 1).
rewrite -(IH (ltnW tn)); have [m hm] := wealth_known t; have [r hr] := reached_known c t.
pose h s := ind (~~ r s) * (m s * ((q t s - p t s) / (p t s * (1 - p t s)))).
rewrite -[RHS]Rplus_0_r -(calibrated h tn) -E_add; apply: E_ext => w; rewrite /= /h -hr -hm.
case e: (reached c t w); rewrite /ind /=; first by ring.
rewrite not_reached // /factor; have := p_range t (see t w); set x := p t _; set y := q t _ => px.
by case: (z t w); field; lra.
Qed.

Lemma reached_stopped c t w : reached c t w -> c <= stopped c t w.
Proof.
elim: t => [|t IH] /=; first by rewrite orbF => /lebP.
by case: (reached c t w) IH => [IH _|_]; [exact: IH|rewrite orbF => /lebP].
Qed.

Lemma stopped_pos c t w : 0 < stopped c t w.
Proof. by elim: t => /= [|t IH]; [lra|case: ifP => // _; exact: (wealth_pos t.+1)]. Qed.

(** label: thm-c35-guard, part 1, for rows one by one and n of them: wealth ever reaches 1/alpha with
    probability at most alpha. *)
Theorem ever_replaced alpha : 0 < alpha ->
  Pr P (reached (1 / alpha) n) <= alpha.
Proof.
move=> a0; have c0 : 0 < 1 / alpha by apply: Rdiv_lt_0_compat; lra.
apply: Rle_trans (_ : Pr P (fun w => leb (1 / alpha) (stopped (1 / alpha) n w)) <= _).
  by apply: Pr_le => w /reached_stopped ?; apply/lebP.
apply: Rle_trans (markov P _ c0) _ => [w|]; first by left; exact: stopped_pos.
by rewrite stopped_mean //; right; field; lra.
Qed.

(** label: thm-c35-guard, part 2: when wealth has reached 1/alpha, the map in use has lost so much
    more than the challenger. *)
Theorem replaced_for_a_loss alpha t w : 0 < alpha -> 1 / alpha <= wealth t w ->
  prefix (fun u => loss_log (z u w) (q u (see u w))) t + ln (1 / alpha) <=
  prefix (fun u => loss_log (z u w) (p u (see u w))) t.
Proof.
move=> a0 le; have e : ln (wealth t w) = prefix (fun u => loss_log (z u w) (p u (see u w))) t -
    prefix (fun u => loss_log (z u w) (q u (see u w))) t.
  rewrite -prefix_sub; elim: t {le} => [|t IH]; first by rewrite /= ln_1.
  have f0 : 0 < factor t w.
    by have := wealth_pos t.+1 w; have := wealth_pos t w => /=; nra.
  rewrite /= ln_mult //; last exact: wealth_pos.
  rewrite IH; congr (_ + _); rewrite /factor /loss_log; have := p_range t (see t w).
  by have := q_range t (see t w); case: (z t w) => qr pr;
    rewrite /Rdiv ln_mult ?ln_Rinv; try lra; apply: Rinv_0_lt_compat; lra.
have := ln_le (x := 1 / alpha) ltac:(apply: Rdiv_lt_0_compat; lra) le; lra.
Qed.
End Guard.
