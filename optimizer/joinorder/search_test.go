package joinorder

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/planner/plan"
)

// null is the value NULL in rows of tests.
const null = -1

// row has the two columns of each relation, nil where an outer join filled it.
type row map[int][2]int

func (r row) column(relation, at int) int {
	if v, ok := r[relation]; ok {
		return v[at]
	}
	return null
}

// predicate compares columns of two or three relations.
type predicate struct {
	of     []int // relations
	at     []int // columns of theirs
	strict bool  // not true for NULLs
}

func (p predicate) holds(r row) bool {
	sum := r.column(p.of[0], p.at[0])
	if len(p.of) == 3 {
		more := r.column(p.of[2], p.at[2])
		if sum != null && more != null {
			sum = (sum + more) % 3
		} else {
			sum = null
		}
	}
	other := r.column(p.of[1], p.at[1])
	return sum == other && (sum != null || !p.strict)
}

// world is relations with rows, and the conditions of a tree. The right side of a lateral join has some rows of its
// relation for each row of others, by values of these.
type world struct {
	*rand.Rand
	rows       [][][2]int
	predicates []predicate
	depends    map[int]predicate // which relations and columns are read, by the relation on the right side
}

func newWorld(r *rand.Rand, relations int) *world {
	w := &world{Rand: r, depends: map[int]predicate{}}
	for range relations {
		var rows [][2]int
		for range r.IntN(5) {
			rows = append(rows, [2]int{r.IntN(4) - 1, r.IntN(4) - 1})
		}
		w.rows = append(w.rows, rows)
	}
	return w
}

// newTree is a random tree of at least so many relations, and less than so many more, and their world.
func newTree(seed, round uint64, least, more int) (*world, *Tree) {
	r := rand.New(rand.NewPCG(seed, round))
	n := least + r.IntN(more)
	w := newWorld(r, n)
	tree, _ := w.tree(0, n)
	return w, tree
}

// tree joins the relations from one number up to another, and says which of them a condition above may read.
func (w *world) tree(from, to int) (*Tree, []int) {
	if to-from == 1 {
		return &Tree{Relation: from}, []int{from}
	}
	middle := from + 1 + w.IntN(to-from-1)
	l, left := w.tree(from, middle)
	r, right := w.tree(middle, to)
	kinds := []plan.JoinKind{plan.InnerJoin, plan.InnerJoin, plan.LeftJoin, plan.SemiJoin, plan.AntiJoin}
	t := &Tree{Kind: kinds[w.IntN(len(kinds))], Left: l, Right: r}
	lateral := r.Left == nil && w.IntN(3) == 0
	if lateral {
		t.Depends = w.depend(left, middle)
	}
	for range 1 + w.IntN(2) {
		t.Conditions = append(t.Conditions, w.condition(left, right))
	}
	if w.IntN(8) == 0 && t.Kind == plan.InnerJoin || w.IntN(2) == 0 && lateral {
		t.Conditions = nil
	}
	if t.Kind == plan.SemiJoin || t.Kind == plan.AntiJoin {
		return t, left
	}
	return t, slices.Concat(left, right)
}

// depend makes a relation the right side of a lateral join that reads some of the left one.
func (w *world) depend(left []int, relation int) Set {
	var p predicate
	for range 1 + w.IntN(2) {
		p.of, p.at = append(p.of, left[w.IntN(len(left))]), append(p.at, w.IntN(2))
	}
	w.depends[relation] = p
	return Of(p.of...)
}

// run is the rows of a relation for one on the left side of a join.
func (w *world) run(relation int, left row) (out []row) {
	p := w.depends[relation]
	sum := len(w.rows[relation])
	for i, of := range p.of {
		sum += left.column(of, p.at[i])
	}
	for i, r := range w.relation(relation) {
		if (i+sum)%3 != 0 {
			out = append(out, r)
		}
	}
	return out
}

func (w *world) condition(left, right []int) Condition {
	p := predicate{of: []int{left[w.IntN(len(left))], right[w.IntN(len(right))]}, strict: w.IntN(3) > 0}
	if w.IntN(4) == 0 {
		p.of = append(p.of, slices.Concat(left, right)[w.IntN(len(left)+len(right))])
	}
	for range p.of {
		p.at = append(p.at, w.IntN(2))
	}
	c := Condition{Number: len(w.predicates), Reads: Of(p.of...)}
	if p.strict {
		c.Rejects = c.Reads
	}
	w.predicates = append(w.predicates, p)
	return c
}

// numbers are those of the conditions of a join.
func (t *Tree) numbers() (out []int) {
	for _, c := range t.Conditions {
		out = append(out, c.Number)
	}
	return out
}

// relation is the rows of one relation.
func (w *world) relation(number int) (out []row) {
	for _, r := range w.rows[number] {
		out = append(out, row{number: r})
	}
	return out
}

// join joins rows as a kind of join does.
func (w *world) join(kind plan.JoinKind, conditions []int, left []row, right func(row) []row) (out []row) {
	for _, l := range left {
		matched := false
		for _, r := range right(l) {
			both := maps.Clone(l)
			maps.Copy(both, r)
			if slices.ContainsFunc(conditions, func(c int) bool { return !w.predicates[c].holds(both) }) {
				continue
			}
			matched = true
			if kind == plan.InnerJoin || kind == plan.LeftJoin {
				out = append(out, both)
			}
		}
		if matched && kind == plan.SemiJoin || !matched && (kind == plan.AntiJoin || kind == plan.LeftJoin) {
			out = append(out, l)
		}
	}
	return out
}

// written are the rows of a tree.
func (w *world) written(t *Tree) []row {
	if t.Left == nil {
		return w.relation(t.Relation)
	}
	right := func(l row) []row { return w.run(t.Right.Relation, l) }
	if t.Depends == 0 {
		rows := w.written(t.Right)
		right = func(row) []row { return rows }
	}
	return w.join(t.Kind, t.numbers(), w.written(t.Left), right)
}

// planned are the rows of a plan. One that runs by rows that are not there yet has none.
func (w *world) planned(p *Plan) []row {
	if p.Left == nil {
		return w.relation(p.Set.Number())
	}
	right := func(l row) []row { return w.run(p.Right.Set.Number(), l) }
	if !p.Lateral {
		rows := w.planned(p.Right)
		right = func(row) []row { return rows }
	} else if !Of(w.depends[p.Right.Set.Number()].of...).Within(p.Left.Set) {
		return nil
	}
	return w.join(p.Kind, p.Conditions, w.planned(p.Left), right)
}

// laterals counts the lateral joins of a plan.
func (p *Plan) laterals() int {
	switch {
	case p.Left == nil:
		return 0
	case p.Lateral:
		return 1 + p.Left.laterals()
	}
	return p.Left.laterals() + p.Right.laterals()
}

func sorted(rows []row) string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprint(map[int][2]int(r)))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func (p *Plan) String() string {
	if p.Left == nil {
		return fmt.Sprint(p.Set.Number())
	}
	return fmt.Sprintf("(%v %d%v %v)", p.Left, p.Kind, p.Conditions, p.Right)
}

// whims is a model of random costs, which are the same each time for the same sides.
type whims struct {
	*rand.Rand
	costs  map[[2]Set]float64
	orders Orders
}

func newWhims(seed uint64) *whims {
	return &whims{Rand: rand.New(rand.NewPCG(seed, 5)), costs: map[[2]Set]float64{}}
}

func (m *whims) Orders() Orders { return m.orders }

func (m *whims) Relation(n int) (rows, cost float64) { return m.Float64(), m.of(Of(n), 0) }
func (m *whims) Rows(*Plan, *Plan, Join) float64     { return m.Float64() }
func (m *whims) Cost(l, r *Plan, _ Join, _ float64) float64 {
	return l.Cost + r.Cost + m.of(l.Set, r.Set)
}

func (m *whims) of(sides ...Set) float64 {
	of := [2]Set(sides)
	if _, ok := m.costs[of]; !ok {
		m.costs[of] = m.Float64()
	}
	return m.costs[of]
}

// TestOrdersKeepRows joins random relations in the orders that random costs ask for, and wants the rows of the order
// that is written, also of the greedy search.
func TestOrdersKeepRows(t *testing.T) {
	seed := testseed.Of(t)
	others, lateral := 0, 0
	for round := range uint64(2000) {
		w, tree := newTree(seed, round, 3, 4)
		want := sorted(w.written(tree))
		for try := range uint64(10) {
			best, _ := Search(tree, newWhims(round*10+try))
			if best == nil {
				t.Fatalf("-seed %d: no plan for %v", seed, tree)
			}
			s := newSearch(tree, newWhims(round*10+try))
			for _, p := range []*Plan{best, s.greedily(tree.Relations())} {
				if p == nil {
					continue
				}
				if got := sorted(w.planned(p)); got != want || p.laterals() != len(w.depends) {
					t.Fatalf("-seed %d: %v\n%s\nas written: %v\n%s\n%+v", seed, p, got, tree, want, w.predicates)
				}
				if p.String() != tree.String() {
					others++
					lateral += min(1, len(w.depends))
				}
			}
		}
	}
	t.Logf("%d orders other than those that are written, %d with lateral joins", others, lateral)
	if others < 1000 || lateral < 1000 {
		t.Error("too few")
	}
}

// String is that of the plan that does not change a tree.
func (t *Tree) String() string {
	if t.Left == nil {
		return fmt.Sprint(t.Relation)
	}
	return fmt.Sprintf("(%v %d%v %v)", t.Left, t.Kind, t.numbers(), t.Right)
}

// TestFindsTheCheapest compares with all ways to split each set of relations.
func TestFindsTheCheapest(t *testing.T) {
	seed := testseed.Of(t)
	for round := range uint64(500) {
		_, tree := newTree(seed, round, 3, 4)
		model := newWhims(round)
		if round%2 == 1 {
			model.orders = orderWhims{model, seed + round}
		}
		best, written := Search(tree, model)
		checkOrders(t, best)
		s := newSearch(tree, model)
		all := tree.Relations()
		for set := Set(1); set <= all; set++ {
			set.subsets(func(l Set) {
				if a, b := s.plans[l], s.plans[set&^l]; a != nil && b != nil {
					s.try(a, b)
				}
			})
		}
		if cheapest := s.whole(all); cheapest.Cost < best.Cost-1e-9 || best.Cost > written {
			t.Fatalf("-seed %d: %v costs %v, %v as written; %v costs %v", seed, best, best.Cost, written,
				cheapest, cheapest.Cost)
		}
	}
}

// TestPairs counts the pairs of connected sets that are looked at: the formulas are those of Moerkotte and Neumann,
// "Analysis of two existing and one new dynamic programming algorithm" (2006), with each pair once.
func TestPairs(t *testing.T) {
	for n := 2; n <= 10; n++ {
		chain, star := &Tree{}, &Tree{}
		for i := 1; i < n; i++ {
			next := func(t *Tree, with int) *Tree {
				on := []Condition{{Number: i, Reads: Of(with, i)}}
				return &Tree{Left: t, Right: &Tree{Relation: i}, Conditions: on}
			}
			chain, star = next(chain, i-1), next(star, 0)
		}
		for _, c := range []struct {
			name string
			tree *Tree
			want int
		}{{"chain", chain, (n*n*n - n) / 6}, {"star", star, (n - 1) << (n - 2)}} {
			s := newSearch(c.tree, newWhims(1))
			s.everything(c.tree.Relations())
			if s.pairs != c.want {
				t.Errorf("%s of %d: %d pairs, want %d", c.name, n, s.pairs, c.want)
			}
		}
	}
}
