package session

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/catalog"
	"zproxy/session/export"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
)

const exportedOf = `SELECT tablename FROM zproxy.cold_data WHERE indexname IS NULL AND exported IS NOT NULL ORDER BY 1`

// files are those of a directory by what their names begin with, up to the number of the table.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.SplitN(f.Name(), ".", 3)
		name := strings.Join(parts[:min(2, len(parts))], ".")
		if out[name] != "" {
			t.Errorf("there are two files of %s", name)
		}
		out[name] = string(content)
	}
	return out
}

// exporting is a database on a store that exports to a directory, with a clock that stands.
func exporting(t *testing.T, st store.Store, dir string, log *bytes.Buffer) (*DB, *stepClock) {
	t.Helper()
	clock := newStepClock()
	db, err := Open(t.Context(), st, Options{Now: clock.now, ExportDir: dir,
		Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db, clock
}

// oldLog has a partition of March 2026, which is the present month, and is exported after a month and dropped at once.
var oldLog = []string{
	`CREATE TABLE log (at timestamp, id int, what text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)
		WITH (partition_interval = '1 month', export_after = '1 month', drop_after = '0 days')`,
	"INSERT INTO log VALUES ('2026-03-01 10:00', 2, NULL), ('2026-03-02', 1, 'a \"b\", c'), ('2026-04-01', 3, '')",
}

const oldMarch = "at,id,what\n2026-03-02 00:00:00,1,\"a \"\"b\"\", c\"\n2026-03-01 10:00:00,2,\n"

// TestExports lets a partition be old enough to be dropped, and to be exported: it is dropped only then, and its file
// has what COPY writes.
func TestExports(t *testing.T) {
	stores := map[string]func(t *testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memstore.New(memstore.Options{}) },
		"pebble": func(t *testing.T) store.Store {
			st, err := pebblestore.Open(t.TempDir(), pebblestore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			return st
		},
		"dynamodb": func(t *testing.T) store.Store {
			return openedOn(t, dynamofake.New(dynamofake.Options{}))
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			dir := t.TempDir()
			db, clock := exporting(t, open(t), dir, &log)
			s := connect(t, db, "joe")
			accepted(t, s, oldLog...)
			after := func(days int, exported, there string) {
				t.Helper()
				clock.step(time.Duration(days) * 24 * time.Hour)
				db.keeper.exporter.round(t.Context())
				db.keeper.round(t.Context())
				if got := slices.Sorted(maps.Keys(files(t, dir))); strings.Join(got, " ") != exported {
					t.Errorf("after %d days there are the files %q, want %q", days, got, exported)
				}
				if got := answer(t, s, partitionsOf); strings.Join(got, "") != there {
					t.Errorf("after %d days there are the partitions %q, want %q", days, got, there)
				}
			}
			after(4, "", "log_2026_03 log_2026_04 log_2026_05 ") // it is 1 April
			after(29, "", "log_2026_03 log_2026_04 log_2026_05 ")
			after(1, "public.log_2026_03", "log_2026_04 log_2026_05 log_2026_06 ")
			if got := files(t, dir)["public.log_2026_03"]; got != oldMarch {
				t.Errorf("the file has %q", got)
			}
			accepted(t, s, "ALTER TABLE log RESET (drop_after)")
			after(31, "public.log_2026_03 public.log_2026_04", "log_2026_04 log_2026_05 log_2026_06 log_2026_07 ")
			if got := answer(t, s, exportedOf); !slices.Equal(got, []string{"log_2026_04"}) {
				t.Errorf("zproxy.cold_data has %q as exported", got)
			}
			if err := os.RemoveAll(dir); err != nil { // nothing is exported twice
				t.Fatal(err)
			}
			clock.step(25 * time.Hour)
			db.keeper.exporter.round(t.Context())
			if strings.Contains(log.String(), "WARN") {
				t.Errorf("log: %s", &log)
			}
		})
	}
}

// openedOn opens a store on a fake DynamoDB.
func openedOn(t *testing.T, f *dynamofake.Fake) store.Store {
	t.Helper()
	o := dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client("")}
	st, err := dynamostore.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// TestNoExports has no directory for files: it says so, and drops nothing.
func TestNoExports(t *testing.T) {
	var log bytes.Buffer
	db, clock := exporting(t, memstore.New(memstore.Options{}), "", &log)
	s := connect(t, db, "joe")
	accepted(t, s, oldLog...)
	clock.step(100 * 24 * time.Hour)
	for range 3 {
		db.keeper.exporter.round(t.Context())
		db.keeper.round(t.Context())
	}
	if got := answer(t, s, "SELECT id FROM log ORDER BY 1"); !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("rows: %q", got)
	}
	if n := strings.Count(log.String(), "not exported by this process"); n != 1 {
		t.Errorf("%d warnings: %s", n, &log)
	}
}

// TestExportGoesOn has processes that end between the steps of an export: the next one ends up with one whole file.
func TestExportGoesOn(t *testing.T) {
	for name, die := range map[string]func(x *partitionExporter, p *catalog.Table, file string) error{
		"claimed": func(*partitionExporter, *catalog.Table, string) error { return nil },
		"half written": func(x *partitionExporter, _ *catalog.Table, name string) error {
			f, err := x.dir.Create(name)
			if err == nil {
				_, err = f.WriteString(oldMarch[:20])
			}
			return errors.Join(err, f.Flush())
		},
		"written": func(x *partitionExporter, p *catalog.Table, name string) error {
			return x.write(t.Context(), p, name)
		},
	} {
		t.Run(name, func(t *testing.T) {
			st, dir := memstore.New(memstore.Options{}), t.TempDir()
			var log bytes.Buffer
			db, clock := exporting(t, st, dir, &log)
			accepted(t, connect(t, db, "joe"), oldLog...)
			clock.step(40 * 24 * time.Hour)
			p := db.Snapshot().Relation("public", "log_2026_03").(*catalog.Table)
			e, err := db.keeper.exporter.claim(t.Context(), p)
			if err == nil {
				err = die(&db.keeper.exporter, p, e.File)
			}
			if err != nil {
				t.Fatal(err)
			}
			db.Close()
			next, later := exporting(t, st, dir, &log)
			later.step(41 * 24 * time.Hour)
			next.keeper.exporter.round(t.Context())
			list, err := os.ReadDir(dir)
			if err != nil || len(list) != 1 || list[0].Name() != e.File {
				t.Fatalf("files %v, want %s: %v", list, e.File, err)
			}
			if got := files(t, dir)["public.log_2026_03"]; got != oldMarch {
				t.Errorf("the file has %q", got)
			}
			if got := answer(t, connect(t, next, "joe"), exportedOf); len(got) != 1 {
				t.Errorf("exported are %q", got)
			}
		})
	}
}

// TestExportFails has no directory any more for a while: the export is tried again an hour later, and may be another
// process's meanwhile.
func TestExportFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exports")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	db, clock := exporting(t, memstore.New(memstore.Options{}), dir, &log)
	s := connect(t, db, "joe")
	accepted(t, s, oldLog...)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	clock.step(40 * 24 * time.Hour)
	for range 3 {
		db.keeper.exporter.round(t.Context())
		db.keeper.round(t.Context())
	}
	if n := strings.Count(log.String(), "no such file or directory"); n != 1 {
		t.Errorf("%d warnings: %s", n, &log)
	}
	p, ok := db.Snapshot().Relation("public", "log_2026_03").(*catalog.Table)
	if !ok || p.PartitionOf.Export != nil {
		t.Fatalf("the partition is %v", p)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	clock.step(time.Hour)
	db.keeper.exporter.round(t.Context())
	if got := files(t, dir)["public.log_2026_03"]; got != oldMarch {
		t.Errorf("the file has %q", got)
	}
	if _, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{ExportDir: dir + "2"}); err == nil {
		t.Error("a process starts without its directory")
	}
}

// TestExportsOfSeveral has two processes on one store that export to directories of their own: one of them exports a
// partition, and none does while a third one seems to, as long as that one is alive.
func TestExportsOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		dead := joined(t, f, "dead")
		var dirs []string
		var s *Session
		for i, name := range []string{"a", "b"} {
			db := joined(t, f, name).DB
			dirs = append(dirs, t.TempDir())
			var err error
			if db.keeper.exporter.dir, err = export.Open(dirs[i]); err != nil {
				t.Fatal(err)
			}
			s = connect(t, db, "joe")
		}
		accepted(t, s, `CREATE TABLE log (at timestamp, id int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)
			WITH (export_after = '1 hour')`,
			"CREATE TABLE old PARTITION OF log FOR VALUES FROM ('1999-12-31 10:00') TO ('1999-12-31 11:00')",
			"INSERT INTO log VALUES ('1999-12-31 10:30', 1)")
		time.Sleep(5 * time.Second)
		p := dead.DB.Snapshot().Relation("public", "old").(*catalog.Table)
		e, err := dead.DB.keeper.exporter.claim(t.Context(), p)
		if err != nil || e == nil {
			t.Fatal(e, err)
		}
		exported := func() map[string]string {
			out := files(t, dirs[0])
			for name, content := range files(t, dirs[1]) {
				if out[name] != "" {
					t.Errorf("both have exported %s", name)
				}
				out[name] = content
			}
			return out
		}
		time.Sleep(10 * time.Minute)
		if got := exported(); len(got) > 0 {
			t.Errorf("while another process is alive exported are %q", got)
		}
		dead.freezeIn(1)
		time.Sleep(10 * time.Minute)
		want := map[string]string{"public.old": "at,id\n1999-12-31 10:30:00,1\n"}
		if got := exported(); !maps.Equal(got, want) {
			t.Errorf("after it is gone exported are %q", got)
		}
		dead.thaw()
		time.Sleep(time.Minute)
		next := *e
		next.Done = true
		if err := dead.DB.keeper.exporter.note(t.Context(), p.ID, e, &next); !errors.Is(err, store.ErrConflict) {
			t.Errorf("the process that was gone ends its export: %v", err)
		}
		for day := 1; day <= 9; day++ {
			accepted(t, s, fmt.Sprintf(
				"CREATE TABLE old_%d PARTITION OF log FOR VALUES FROM ('1999-12-0%[1]d') TO ('1999-12-0%[1]d 10:00')", day))
		}
		time.Sleep(3 * time.Minute)
		if got := exported(); len(got) != 10 {
			t.Errorf("after three more minutes exported are %q", got)
		}
	})
}
