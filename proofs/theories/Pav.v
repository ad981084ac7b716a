(** The program that pools adjacent violators returns the isotonic regression. *)
From Calibration Require Import Fin Isotonic Fit.

(** A place is a pair of a weight and a label sum, a block a list of neighbouring places. *)
Definition weight_of (b : seq (R * R)) := foldr (fun x a => x.1 + a) 0 b.
Definition sum_of (b : seq (R * R)) := foldr (fun x a => x.2 + a) 0 b.
Definition mean (b : seq (R * R)) := sum_of b / weight_of b.

(** The program: blocks are kept in a list, the last one first.  A new block is joined with the block
    before it as long as that has a mean that is not below its own. *)
Fixpoint push (b : seq (R * R)) (blocks : seq (seq (R * R))) :=
  if blocks is c :: before then
    if leb (mean b) (mean c) then push (c ++ b) before else b :: blocks
  else [:: b].
Definition pav (places : seq (R * R)) := foldl (fun blocks x => push [:: x] blocks) [::] places.
Definition places_of (blocks : seq (seq (R * R))) := flatten (rev blocks).
Definition values_of (blocks : seq (seq (R * R))) :=
  flatten (rev [seq nseq (size b) (mean b) | b <- blocks]).

Lemma weight_cat b c : weight_of (b ++ c) = weight_of b + weight_of c.
Proof. by elim: b => /= [|x b ->]; ring. Qed.
Lemma sum_cat b c : sum_of (b ++ c) = sum_of b + sum_of c.
Proof. by elim: b => /= [|x b ->]; ring. Qed.

Lemma places_cons b blocks : places_of (b :: blocks) = places_of blocks ++ b.
Proof. by rewrite /places_of rev_cons flatten_rcons. Qed.
Lemma values_cons b blocks : values_of (b :: blocks) = values_of blocks ++ nseq (size b) (mean b).
Proof. by rewrite /values_of /= rev_cons flatten_rcons. Qed.

(** Weights are positive. *)
Definition positive (b : seq (R * R)) := forall x, List.In x b -> 0 < x.1.

Lemma weight_ge0 b : positive b -> 0 <= weight_of b.
Proof.
elim: b => /= [|x b IH] h; first lra.
by have := h x (or_introl erefl); have := IH (fun y hy => h y (or_intror hy)); lra.
Qed.

Lemma weight_pos b : positive b -> b <> [::] -> 0 < weight_of b.
Proof.
case: b => // x b h _ /=; have := h x (or_introl erefl).
by have := weight_ge0 (fun y hy => h y (or_intror hy)); lra.
Qed.

(** A block is good if no first part of it has a mean below its own. *)
Definition good b := [/\ b <> [::], positive b &
  forall c d, b = c ++ d -> mean b * weight_of c <= sum_of c].

Lemma mean_weight b : positive b -> b <> [::] -> mean b * weight_of b = sum_of b.
Proof. by move=> p ne; rewrite /mean Rmult_comm; exact: mult_div (weight_pos p ne). Qed.

Lemma good_one x : 0 < x.1 -> good [:: x].
Proof.
move=> x0; split=> // [y [<-|[]] //|[|y c] d /=]; first lra.
case: c => [[<- _]|//]; rewrite /mean /=; right; field; lra.
Qed.

Lemma good_cat c b : good c -> good b -> mean b <= mean c -> good (c ++ b).
Proof.
move=> [cn cp cg] [bn bp bg] le; have wc := weight_pos cp cn; have wb := weight_pos bp bn.
have mc := mean_weight cp cn; have mb := mean_weight bp bn.
have p : positive (c ++ b) by move=> x /List.in_app_iff[/cp|/bp].
have ne : c ++ b <> [::] by case: (c) cn.
have m := mean_weight p ne; rewrite weight_cat sum_cat -mc -mb in m.
set v := mean (c ++ b) in m *.
have vc : v <= mean c by nra.
have vb : mean b <= v by nra.
split=> // u d e; rewrite -/v; have [e1|[r e1 e2]] : (exists r, c = u ++ r) \/ exists2 r, u = c ++ r & b = r ++ d.
  elim: (c) (u) e {cn cp cg wc mc p ne m vc v le vb} => [|x c' IH] u'.
    by move=> e'; right; exists u'.
  case: u' => [_|y u' /= [<- e']]; first by left; exists (x :: c').
  by case: (IH _ e') => [[r ->]|[r -> ->]]; [left; exists r|right; exists r].
- case: e1 => r e1; have g := cg u r e1; have w0 : 0 <= weight_of u.
    by apply: weight_ge0 => x hx; apply: cp; rewrite e1; apply/List.in_app_iff; left.
  by have := Rmult_le_compat_r _ _ _ w0 vc; lra.
- have g := bg r d e2; rewrite e1 weight_cat sum_cat.
  have wd : 0 <= weight_of d.
    by apply: weight_ge0 => x hx; apply: bp; rewrite e2; apply/List.in_app_iff; right.
  have wbd : weight_of b = weight_of r + weight_of d by rewrite e2 weight_cat.
  rewrite -mc; have : (v - mean b) * weight_of r <= (v - mean b) * weight_of b.
    by apply: Rmult_le_compat_l; lra.
  lra.
Qed.

(** The list is right if its blocks are good and their means increase. *)
Fixpoint right (blocks : seq (seq (R * R))) := if blocks is b :: before then
  good b /\ (if before is c :: _ then mean c < mean b else True) /\ right before else True.

Lemma push_right b blocks : good b -> right blocks ->
  right (push b blocks) /\ places_of (push b blocks) = places_of blocks ++ b.
Proof.
elim: blocks b => [|c before IH] b gb /= => [_|[gc [inc ok]]]; first by rewrite places_cons.
case: lebP => [le|gt]; last by split; [split=> //; split=> //; lra|rewrite places_cons].
have [h e] := IH _ (good_cat gc gb le) ok; split=> //.
by rewrite e places_cons catA.
Qed.

(** label: lem-c6-pav, what the program returns: the same places, in blocks with increasing means, no
    first part of which has a mean below that of its block. *)
Theorem pav_blocks places : positive places -> right (pav places) /\ places_of (pav places) = places.
Proof.
elim/last_ind: places => [|places x IH] h; first by split.
rewrite /pav -cats1 foldl_cat /= -/(pav places) in h *.
have [ok e] : right (pav places) /\ places_of (pav places) = places.
  by apply: IH => y hy; apply: h; apply/List.in_app_iff; left.
have [ok' e'] := push_right (good_one (h x ltac:(by apply/List.in_app_iff; right; left))) ok.
by rewrite e' e.
Qed.

Definition w_of (places : seq (R * R)) i := (nth (1, 0) places i).1.
Definition s_of (places : seq (R * R)) i := (nth (1, 0) places i).2.

Lemma prefix_take (places : seq (R * R)) j : (j <= size places)%N ->
  prefix (w_of places) j = weight_of (take j places) /\ prefix (s_of places) j = sum_of (take j places).
Proof.
elim: j => [|j IH] hj; first by rewrite take0.
have [e1 e2] := IH (ltnW hj); rewrite /= e1 e2 (take_nth (1, 0)) // -cats1 weight_cat sum_cat /=.
by rewrite /w_of /s_of; split; ring.
Qed.

Lemma size_values blocks : size (values_of blocks) = size (places_of blocks).
Proof. by elim: blocks => // b blocks IH; rewrite values_cons places_cons !size_cat size_nseq IH. Qed.

Lemma last_value b blocks i : b <> [::] -> i.+1 = size (places_of (b :: blocks)) ->
  nth 0 (values_of (b :: blocks)) i = mean b.
Proof.
move=> ne; rewrite places_cons size_cat values_cons nth_cat size_values nth_nseq.
case: b ne => // x b _; rewrite /= addnS => -[->].
by rewrite ltnNge leq_addr /= addKn ltnSn.
Qed.

(** label: lem-c6-pav, part 2: the slack of such blocks is never negative, and 0 wherever they end. *)
Theorem pav_certified places rest blocks : right blocks -> places = places_of blocks ++ rest ->
  certified (size (places_of blocks)) (w_of places) (s_of places) (nth 0 (values_of blocks)).
Proof.
elim: blocks rest => [|b blocks IH] rest.
  by move=> _ _; split=> // i; rewrite leqn0 => /eqP ->; rewrite /slack /=; lra.
move=> [[bn bp bg] [inc ok]] e; rewrite places_cons -catA in e.
have [mono ge0 last zero] := IH _ ok e; set n := size (places_of blocks) in mono ge0 last zero *.
set p := nth 0 (values_of (b :: blocks)).
have old i : (i < n)%N -> p i = nth 0 (values_of blocks) i.
  by move=> hi; rewrite /p values_cons nth_cat size_values -/n hi.
have new i : (n <= i)%N -> (i < n + size b)%N -> p i = mean b.
  move=> h1 h2; rewrite /p values_cons nth_cat size_values -/n ltnNge h1 /= nth_nseq.
  by rewrite ltn_subLR // h2.
have so j : (j <= n)%N -> slack (w_of places) (s_of places) p j =
    slack (w_of places) (s_of places) (nth 0 (values_of blocks)) j.
  by move=> hj; apply: prefix_ext => i hi; rewrite old //; exact: leq_trans hi hj.
have sn j : (j <= size b)%N -> slack (w_of places) (s_of places) p (n + j) =
    sum_of (take j b) - mean b * weight_of (take j b).
  move=> hj; rewrite /slack prefix_shift -/(slack _ _ p n) so // last Rplus_0_l.
  rewrite (prefix_ext (g := fun i => s_of places (n + i) - mean b * w_of places (n + i))); last first.
    by move=> i hi; rewrite new ?leq_addr ?ltn_add2l //; [ring|exact: leq_trans hi hj].
  rewrite prefix_sub prefix_scal.
  have at_b i : (i < size b)%N -> nth (1, 0) places (n + i) = nth (1, 0) b i.
    by move=> hi; rewrite e nth_cat ltnNge leq_addr /= addKn nth_cat hi.
  have [<- <-] := prefix_take hj; congr (_ - _ * _); apply: prefix_ext => i hi;
    by rewrite /s_of /w_of at_b //; exact: leq_trans hi hj.
have split_at j : (n <= j)%N -> (j <= n + size b)%N -> exists2 i, j = (n + i)%N & (i <= size b)%N.
  by move=> h1 h2; exists (j - n)%N; [rewrite subnKC|rewrite leq_subLR].
rewrite places_cons size_cat -/n; split.
- move=> i hi; case: (ltngtP i.+1 n) => h.
  + by rewrite !old ?(ltnW h) //; exact: mono.
  + by rewrite !new //; [lra|exact: ltnW|exact: ltnW].
  + have -> : p i.+1 = mean b by apply: new => //; rewrite h.
    have -> : p i = nth 0 (values_of blocks) i by apply: old; rewrite -h.
    move: inc h; rewrite /n; case: (blocks) ok => [//|c before] [[cn _ _] _] lt h.
    by rewrite (last_value cn h); lra.
- move=> j hj; case: (leqP j n) => h; first by rewrite so //; exact: ge0.
  have [i -> hi] := split_at j (ltnW h) hj; rewrite sn //.
  by have := bg (take i b) (drop i b) (esym (cat_take_drop i b)); lra.
- by rewrite sn // take_size (mean_weight bp bn); ring.
- move=> i hi lt; case: (ltngtP i.+1 n) => h.
  + by rewrite so ?(ltnW h) //; apply: zero => //; rewrite -!old // ltnW.
  + by move: lt; rewrite !new ?(ltnW h) //; [lra|exact: ltnW].
  + by rewrite h -[n in slack _ _ _ n]addn0 sn // take0 /=; ring.
Qed.

Lemma nth_in (places : seq (R * R)) i : (i < size places)%N -> List.In (nth (1, 0) places i) places.
Proof. by elim: places i => // x l IH [|i] /= hi; [left|right; exact: IH]. Qed.

(** label: thm-c6-likelihood, the program: with positive weights it returns the least-squares fit. *)
Theorem pav_is_isotonic places : positive places ->
  least_squares (size places) (w_of places) (s_of places) (nth 0 (values_of (pav places))).
Proof.
move=> h; have [ok e] := pav_blocks h; apply/least_squares_certified => [i hi|].
  by apply: h; exact: nth_in.
have := pav_certified (rest := [::]) ok; rewrite cats0 => /(_ _ (esym e)); by rewrite e.
Qed.
