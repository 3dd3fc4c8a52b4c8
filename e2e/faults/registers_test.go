package faults

import (
	"fmt"
	"math"
	"sync"

	"github.com/anishathalye/porcupine"
)

// registers are single rows, each of which is a register that statements read and write, and single values of a unique
// index, each of which one row has at the most. Porcupine looks for an order of all statements that explains what they
// answered.
type registers struct {
	options [2]string

	mu      sync.Mutex
	next    int64
	history []porcupine.Operation
}

// call is a statement on the register or the value key.
type call struct {
	kind string
	key  int64
	a, b int64
}

// reply is what it answered: rows that were found or written, and a value.
type reply struct {
	unknown  bool
	count, v int64
}

const keys = 3

func newRegisters(w *world) program {
	options := func() string { return drawn(w.Rand, "", " WITH (shards = 3)") }
	r := &registers{options: [2]string{options(), ""}}
	r.options[1] = drawn(w.Rand, "", " WITH (mutability = 'IMMUTABLE_ROWS')", " WITH (shards = 4, shard_by = 'random')")
	return r
}

func (r *registers) schema() []string {
	return []string{
		"CREATE TABLE reg (id int PRIMARY KEY, v int, u int)" + r.options[0],
		"CREATE UNIQUE INDEX reg_u ON reg (u) INCLUDE (v)", "CREATE INDEX reg_v ON reg (v)",
		"CREATE TABLE uq (id int PRIMARY KEY, u int)" + r.options[1], "CREATE UNIQUE INDEX uq_u ON uq (u)",
	}
}

func (r *registers) number() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next
}

// step runs some statements.
func (r *registers) step(c *client) {
	for range 3 {
		r.call(c)
	}
}

// call runs a statement and keeps it with its answer. One that failed did nothing.
func (r *registers) call(c *client) {
	in := call{kind: kindsOfCalls[c.IntN(len(kindsOfCalls))], key: c.Int64N(keys), a: c.Int64N(5), b: r.number()}
	began := c.w.tick()
	a, err := c.exec("%s", in.sql())
	out := reply{count: a.count}
	if len(a.rows) > 0 {
		out.v = a.rows[0][0]
	}
	ended := c.w.tick()
	switch code := codeOf(err); {
	case code == unknown:
		out, ended = reply{unknown: true}, math.MaxInt64
	case code == duplicate && in.kind == "take":
	case err != nil:
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = append(r.history, porcupine.Operation{ClientId: c.number, Input: in, Output: out, Call: began,
		Return: ended})
}

func (r *registers) converged(c *client) { r.step(c) }

var kindsOfCalls = []string{"get", "get by u", "put", "put", "cas", "cas", "add", "del", "take", "take", "drop", "who"}

func (k call) sql() string {
	switch k.kind {
	case "get":
		return fmt.Sprintf("SELECT v FROM reg WHERE id = %d", k.key)
	case "get by u":
		return fmt.Sprintf("SELECT v FROM reg WHERE u = %d", 10+k.key)
	case "put":
		return fmt.Sprintf("INSERT INTO reg VALUES (%d, %d, %d) ON CONFLICT (id) DO UPDATE SET v = excluded.v", k.key,
			k.a, 10+k.key)
	case "cas":
		return fmt.Sprintf("UPDATE reg SET v = %d WHERE id = %d AND v = %d", k.b%5, k.key, k.a)
	case "add":
		return fmt.Sprintf("UPDATE reg SET v = v + 1 WHERE id = %d RETURNING v", k.key)
	case "del":
		return fmt.Sprintf("DELETE FROM reg WHERE id = %d", k.key)
	case "take":
		return fmt.Sprintf("INSERT INTO uq VALUES (%d, %d)", k.b, k.key)
	case "drop":
		return fmt.Sprintf("DELETE FROM uq WHERE u = %d RETURNING id", k.key)
	}
	return fmt.Sprintf("SELECT id FROM uq WHERE u = %d", k.key)
}

// run says what a statement answers on a value, null for none, and what that is then.
func (k call) run(v int64) (reply, int64) {
	there := int64(1)
	if v == null {
		there = 0
	}
	found := reply{count: there, v: v * there}
	switch k.kind {
	case "put":
		return reply{count: 1}, k.a
	case "cas":
		if v == k.a {
			return reply{count: 1}, k.b % 5
		}
		return reply{}, v
	case "add":
		if there == 0 {
			return reply{}, v
		}
		return reply{count: 1, v: v + 1}, v + 1
	case "del":
		return reply{count: there}, null
	case "take":
		if there == 1 {
			return reply{}, v
		}
		return reply{count: 1}, k.b
	case "drop":
		return found, null
	}
	return found, v
}

func (r *registers) check(c *client) {
	for _, sql := range []string{"SELECT u, count(*) FROM uq GROUP BY u HAVING count(*) > 1",
		"SELECT u, count(*) FROM reg GROUP BY u HAVING count(*) > 1"} {
		if a, err := c.exec("%s", sql); err != nil || len(a.rows) > 0 {
			c.w.Errorf("-seed %d: %s: %v %v", c.w.seed, sql, a.rows, err)
		}
	}
}

// judge asks Porcupine. A statement with an unknown outcome may have happened at any later time: it returns at the
// end, and there it may as well not have happened.
func (r *registers) judge(w *world) {
	model := porcupine.Model{
		Partition: partition,
		Init:      func() any { return int64(null) },
		Step: func(state, input, output any) (bool, any) {
			got := output.(reply)
			want, next := input.(call).run(state.(int64))
			return got.unknown || got == want, next
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v %+v", input, output) },
	}
	if !porcupine.CheckOperations(model, r.history) {
		w.Errorf("-seed %d: no order of the statements explains their answers:\n", w.seed)
		for _, o := range r.history {
			w.Logf("%d %d-%d %+v: %+v", o.ClientId, o.Call, o.Return, o.Input, o.Output)
		}
	}
}

// partition takes registers and values apart.
func partition(history []porcupine.Operation) (out [][]porcupine.Operation) {
	of := map[string][]porcupine.Operation{}
	for _, o := range history {
		k := o.Input.(call)
		name := fmt.Sprint(k.key, k.kind == "take" || k.kind == "drop" || k.kind == "who")
		of[name] = append(of[name], o)
	}
	for _, h := range of {
		out = append(out, h)
	}
	return out
}
