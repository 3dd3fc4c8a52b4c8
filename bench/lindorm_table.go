package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	lindormColumns = "(p1 varchar NOT NULL, p2 int4 NOT NULL, c1 int8, c2 float8, c3 varchar, PRIMARY KEY (p1, p2))"
	lindormIndex   = "CREATE INDEX lindorm_c3 ON lindorm (c3 DESC) INCLUDE (p1, p2, c1, c2)"
	// lindormPerDevice is how many of the loaded rows have the same p1.
	lindormPerDevice = 100
)

// lindormTable makes the rows of the table. What row n has depends on nothing but seed and n. The rows that follow
// each other lie far apart in the primary key and in the index.
type lindormTable struct {
	seed uint64
	rows int64        // that were loaded
	last atomic.Int64 // row that was given to a writer
}

// lindormRow holds a row's values as they go over the wire in binary, which is also their text for p1 and c3.
type lindormRow struct{ p1, p2, c1, c2, c3 []byte }

func (t *lindormTable) row(n int64) lindormRow {
	devices := max(1, t.rows/lindormPerDevice)
	return lindormRow{
		p1: fmt.Appendf(nil, "device-%08d", n%devices*permuter%devices),
		p2: binary.BigEndian.AppendUint32(nil, uint32(n/devices)),
		c1: binary.BigEndian.AppendUint64(nil, uint64(n)),
		c2: binary.BigEndian.AppendUint64(nil, math.Float64bits(float64(n)/4)),
		c3: fmt.Appendf(nil, "%016x", rand.NewPCG(t.seed, uint64(n)).Uint64()),
	}
}

func (t *lindormTable) loading(s *side) loading {
	return loading{
		table: "lindorm", columns: lindormColumns, rows: int(t.rows),
		appendRow: func(text []byte, i int) []byte {
			row := t.row(int64(i))
			text = append(append(text, row.p1...), '\t')
			text = append(strconv.AppendUint(text, uint64(binary.BigEndian.Uint32(row.p2)), 10), '\t')
			text = append(strconv.AppendInt(text, int64(i), 10), '\t')
			text = append(strconv.AppendFloat(text, float64(i)/4, 'f', -1, 64), '\t')
			return append(append(text, row.c3...), '\n')
		},
		after: append([]string{lindormIndex}, s.atRest("lindorm")...),
	}
}

// lindormOperation is something that a client does over and over.
type lindormOperation struct {
	single, name string // what its time for one operation and its rate are called
	query        string
	rows         int     // that one operation writes or reads
	goal         float64 // 0: for information
	run          func(*lindormClient, context.Context, *lindormOperation) error
}

// lindormOperations are in the order in which they run: what is read is still as it was loaded.
var lindormOperations = []*lindormOperation{
	{"single-row read", "Get", "SELECT c1, c3 FROM lindorm WHERE p1 = $1 AND p2 = $2", 1, lindormReadGoal, (*lindormClient).get},
	{"single-row read by the index", "Get by the index", "SELECT c1, p1 FROM lindorm WHERE c3 = $1", 1, lindormReadGoal, (*lindormClient).getByIndex},
	{"scan", "Scan", "SELECT p1, p2, c1, c2, c3 FROM lindorm WHERE c3 <= $1 ORDER BY c3 DESC LIMIT " + strconv.Itoa(lindormScan), lindormScan,
		lindormReadGoal, (*lindormClient).scan},
	{"single-row write", "Put", lindormInsert(1), 1, lindormWriteGoal, (*lindormClient).put},
	{"100-row batch write", "BatchPut", lindormInsert(lindormBatch), lindormBatch, lindormWriteGoal, (*lindormClient).put},
	{"*single-row write over an old row*", "*Put over an old row*",
		lindormInsert(1) + " ON CONFLICT (p1, p2) DO UPDATE SET c2 = excluded.c2, c3 = excluded.c3", 1, 0,
		(*lindormClient).putOver},
}

// lindormInsert is an INSERT of so many rows.
func lindormInsert(rows int) string {
	var text strings.Builder
	text.WriteString("INSERT INTO lindorm VALUES ")
	for i := range rows {
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "($%d, $%d, $%d, $%d, $%d)", 5*i+1, 5*i+2, 5*i+3, 5*i+4, 5*i+5)
	}
	return text.String()
}

// lindormClient is one connection. It knows the messages of the protocol and no more, so that little of the time is
// its own.
type lindormClient struct {
	conn   *pgconn.PgConn
	table  *lindormTable
	random *rand.Rand
	params [][]byte
	buffer []byte
}

func newLindormClient(conn *pgx.Conn, table *lindormTable, number uint64) *lindormClient {
	return &lindormClient{conn: conn.PgConn(), table: table, random: rand.New(rand.NewPCG(table.seed, number))}
}

func (c *lindormClient) prepare(ctx context.Context) error {
	for _, op := range lindormOperations {
		if _, err := c.conn.Prepare(ctx, op.name, op.query, nil); err != nil {
			return fmt.Errorf("%s: %w", op.query, err)
		}
	}
	return nil
}

// lindormBinary is the format of all values.
var lindormBinary = []int16{pgx.BinaryFormatCode}

// read runs an operation's query with c.params, hands each row to check, and says how many there were.
func (c *lindormClient) read(ctx context.Context, op *lindormOperation, check func([][]byte) error) (int, error) {
	result := c.conn.ExecPrepared(ctx, op.name, c.params, lindormBinary, lindormBinary)
	n := 0
	var wrong error
	for result.NextRow() {
		n++
		if wrong == nil {
			wrong = check(result.Values())
		}
	}
	if _, err := result.Close(); err != nil {
		return n, err
	}
	return n, wrong
}

// one runs a query that answers with one row, which holds these values.
func (c *lindormClient) one(ctx context.Context, op *lindormOperation, want ...[]byte) error {
	n, err := c.read(ctx, op, func(values [][]byte) error {
		if !slices.EqualFunc(values, want, slices.Equal) {
			return fmt.Errorf("%s answers %q, want %q", op.query, values, want)
		}
		return nil
	})
	if err == nil && n != 1 {
		err = fmt.Errorf("%s answers %d rows", op.query, n)
	}
	return err
}

func (c *lindormClient) get(ctx context.Context, op *lindormOperation) error {
	row := c.table.row(c.random.Int64N(c.table.rows))
	c.params = append(c.params[:0], row.p1, row.p2)
	return c.one(ctx, op, row.c1, row.c3)
}

func (c *lindormClient) getByIndex(ctx context.Context, op *lindormOperation) error {
	row := c.table.row(c.random.Int64N(c.table.rows))
	c.params = append(c.params[:0], row.c3)
	return c.one(ctx, op, row.c1, row.p1)
}

// scan reads rows from a random place on, where enough of them follow.
func (c *lindormClient) scan(ctx context.Context, op *lindormOperation) error {
	c.buffer = fmt.Appendf(c.buffer[:0], "%016x", math.MaxUint64/8+c.random.Uint64N(math.MaxUint64/8*7))
	c.params = append(c.params[:0], c.buffer)
	before := string(c.buffer)
	n, err := c.read(ctx, op, func(values [][]byte) error {
		c3 := values[len(values)-1]
		if string(c3) > before {
			return fmt.Errorf("%q comes behind %q", c3, before)
		}
		before = string(c3)
		return nil
	})
	if want := int(min(lindormScan, c.table.rows/10)); err == nil && n < want {
		err = fmt.Errorf("a scan has %d rows, not %d", n, want)
	}
	return err
}

// put writes rows that are new.
func (c *lindormClient) put(ctx context.Context, op *lindormOperation) error {
	c.params = c.params[:0]
	for n := c.table.last.Add(int64(op.rows)) - int64(op.rows) + 1; len(c.params) < 5*op.rows; n++ {
		row := c.table.row(n)
		c.params = append(c.params, row.p1, row.p2, row.c1, row.c2, row.c3)
	}
	return c.write(ctx, op)
}

// putOver writes over a row that was loaded, with another place in the index.
func (c *lindormClient) putOver(ctx context.Context, op *lindormOperation) error {
	row := c.table.row(c.random.Int64N(c.table.rows))
	c3 := fmt.Appendf(nil, "%016x", c.random.Uint64())
	c.params = append(c.params[:0], row.p1, row.p2, row.c1, row.c2, c3)
	return c.write(ctx, op)
}

func (c *lindormClient) write(ctx context.Context, op *lindormOperation) error {
	tag, err := c.conn.ExecPrepared(ctx, op.name, c.params, lindormBinary, lindormBinary).Close()
	if err == nil && tag.RowsAffected() != int64(op.rows) {
		err = fmt.Errorf("%s of %d rows: %s", op.name, op.rows, tag)
	}
	return err
}

// latencies does an operation over and over as long as more says so, and returns how many microseconds each one took.
func (c *lindormClient) latencies(ctx context.Context, op *lindormOperation, more func() bool) ([]float64, error) {
	var times []float64
	for more() {
		before := time.Now()
		if err := op.run(c, ctx, op); err != nil {
			return nil, err
		}
		times = append(times, inMicroseconds(before))
	}
	return times, nil
}
