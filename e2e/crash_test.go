package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5"

	"zproxy/internal/indextest"
	"zproxy/session"
)

// TestLostPower takes the disk as it would be after a loss of power, while clients
// write, and opens it anew: what was acknowledged is there, a statement is there as a
// whole or not at all, and indexes and rows agree.
func TestLostPower(t *testing.T) {
	for _, seed := range seeds(t, 3) {
		disk := vfs.NewCrashableMem()
		st := openPebble(t, disk)
		s := serve(t, st, session.Options{})
		must(t, s.connect(t), "CREATE TABLE p (writer int, n int, s text, PRIMARY KEY (writer, n))",
			"CREATE INDEX p_s ON p (s DESC)",
			"CREATE INDEX p_z ON p USING zorder (writer, n)")
		w := &writers{acknowledged: map[string]int{}}
		for i := range 4 {
			c := s.connect(t)
			w.Go(func() { w.write(t, c, i) })
		}
		d := newDice(seed)
		for range 4 {
			w.wait(1 + d.IntN(20))
			promised := w.promised()
			crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: d.IntN(101),
				RNG: rand.New(rand.NewPCG(seed, 1))})
			checkDisk(t, crashed, promised)
		}
		w.halt()
		s.stop()
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// rowsOfBatch is how many rows one statement of a writer writes.
const rowsOfBatch = 7

// writers write batches of rows, one after the other, and note which were acknowledged.
type writers struct {
	sync.WaitGroup
	sync.Mutex
	acknowledged map[string]int // the number of a writer's batches
	total        int
	grown        chan struct{} // closed and made anew with each acknowledgement
	ended        bool
}

func (w *writers) write(t *testing.T, c *pgx.Conn, writer int) {
	for batch := 0; !w.over(); batch++ {
		var err error
		if batch%2 == 0 {
			_, err = c.PgConn().CopyFrom(context.Background(),
				strings.NewReader(rowsText(writer, batch, "%d\t%d\t%s\n")), "COPY p FROM STDIN")
		} else {
			values := strings.TrimSuffix(rowsText(writer, batch, "(%d, %d, '%s'),"), ",")
			_, err = c.PgConn().Exec(context.Background(), "INSERT INTO p VALUES "+values).ReadAll()
		}
		if err != nil {
			t.Error(err)
			return
		}
		w.acknowledge(writer, batch+1)
	}
}

// rowsText are the rows of a batch.
func rowsText(writer, batch int, format string) string {
	var b strings.Builder
	for i := range rowsOfBatch {
		fmt.Fprintf(&b, format, writer, batch*rowsOfBatch+i, strings.Repeat("x", batch%50))
	}
	return b.String()
}

func (w *writers) over() bool {
	w.Lock()
	defer w.Unlock()
	return w.ended
}

func (w *writers) halt() {
	w.Lock()
	w.ended = true
	w.Unlock()
	w.Wait()
}

func (w *writers) acknowledge(writer, batches int) {
	w.Lock()
	defer w.Unlock()
	w.acknowledged[fmt.Sprint(writer)] = batches
	w.total++
	if w.grown != nil {
		close(w.grown)
		w.grown = nil
	}
}

// wait returns when n more batches have been acknowledged.
func (w *writers) wait(n int) {
	w.Lock()
	for want := w.total + n; w.total < want; {
		if w.grown == nil {
			w.grown = make(chan struct{})
		}
		grown := w.grown
		w.Unlock()
		<-grown
		w.Lock()
	}
	w.Unlock()
}

func (w *writers) promised() map[string]int {
	w.Lock()
	defer w.Unlock()
	out := map[string]int{}
	for k, v := range w.acknowledged {
		out[k] = v
	}
	return out
}

// checkDisk opens a disk, and compares it with what was promised.
func checkDisk(t *testing.T, disk vfs.FS, promised map[string]int) {
	t.Helper()
	st := openPebble(t, disk)
	s := serve(t, st, session.Options{})
	indextest.Store(t, st)
	a := &asker{conn: s.connect(t).PgConn()}
	rows, err := a.rows("SELECT writer, count(*), max(n) FROM p GROUP BY writer", parameters{}, directly)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, row := range rows {
		var writer string
		var n, last int
		if _, err := fmt.Sscanf(strings.ReplaceAll(row, "|", " "), "%s %d %d", &writer, &n, &last); err != nil {
			t.Fatal(err)
		}
		if n != last+1 || n%rowsOfBatch != 0 {
			t.Errorf("writer %s has %d rows up to %d, in batches of %d", writer, n, last, rowsOfBatch)
		}
		found[writer] = n / rowsOfBatch
	}
	for writer, batches := range promised {
		if found[writer] < batches {
			t.Errorf("writer %s was promised %d batches and has %d", writer, batches, found[writer])
		}
	}
	s.stop()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}
