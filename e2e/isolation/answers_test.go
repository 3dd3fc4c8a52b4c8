package isolation

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zproxy/internal/pglocal"
)

// What PostgreSQL's transcripts depend on beside the spec.
var (
	//go:embed player_test.go
	playerSource string
	//go:embed client_test.go
	clientSource string
	//go:embed transcript_test.go
	transcriptSource string
)

// cache is a folder for what is the same in each run.
func cache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "zproxy-test")
}

// answers are PostgreSQL's transcripts of a spec, by permutation.
type answers struct {
	name, path  string
	transcripts map[int]transcript
}

// sumBytes is how much of a checksum of the text is in the name of a file.
const sumBytes = 6

func readAnswers(t testing.TB, name, text string) *answers {
	t.Helper()
	sum := sha256.Sum256([]byte(text + playerSource + clientSource + transcriptSource))
	path := filepath.Join(cache(t), "isolation-answers", name)
	a := &answers{path, path + "-" + hex.EncodeToString(sum[:sumBytes]) + ".json", map[int]transcript{}}
	stored, err := os.ReadFile(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return a
	}
	if err == nil {
		err = json.Unmarshal(stored, &a.transcripts)
	}
	if err != nil {
		t.Fatalf("%s: %v", a.path, err)
	}
	return a
}

// write stores the transcripts in the stead of those of another text.
func (a *answers) write(t testing.TB) {
	t.Helper()
	old, err := filepath.Glob(a.name + "-" + strings.Repeat("[0-9a-f]", 2*sumBytes) + ".json")
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(a.transcripts)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(a.path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(a.path+".new", text, 0o644)
	}
	if err == nil {
		err = os.Rename(a.path+".new", a.path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// postgres is a PostgreSQL that is started when it is needed. It plays one spec at a time: roles and what the server
// keeps of all databases are common to the specs.
type postgres struct {
	t       testing.TB // lasts as long as all specs
	mu      sync.Mutex
	address string
}

// limitThere is for bugs of the player: no step of PostgreSQL's specs lasts as long.
const limitThere = time.Minute

// complete plays on PostgreSQL the permutations of which there is no transcript.
func (pg *postgres) complete(t testing.TB, s *spec, orders map[int]permutation, a *answers) {
	t.Helper()
	pg.mu.Lock()
	defer pg.mu.Unlock()
	var w *world
	for i := range sortedKeys(orders) {
		if _, ok := a.transcripts[i]; ok {
			continue
		}
		if w == nil {
			w = pg.world(t)
		}
		w.connect(t, s)
		played, err := w.play(t.Context(), s, orders[i], limitThere)
		if err != nil {
			t.Fatalf("PostgreSQL, permutation %d: %v", i, err)
		}
		if played.cut {
			t.Fatalf("PostgreSQL, permutation %d: %s\n%s", i, orders[i], played)
		}
		a.transcripts[i] = played
	}
	if w != nil {
		a.write(t)
	}
}

// world makes a database for a spec, in the stead of that of the spec before.
func (pg *postgres) world(t testing.TB) *world {
	t.Helper()
	if pg.address == "" {
		pg.address = pglocal.Start(pg.t)
	}
	admin := &world{url: postgresURL(pg.address, "postgres")}
	c := admin.dial(t, "administrator")
	for _, sql := range []string{"DROP DATABASE IF EXISTS %s WITH (FORCE)", "CREATE DATABASE %s"} {
		if out := c.run(t.Context(), fmt.Sprintf(sql, database)); len(out) != 1 || out[0].Code != "" {
			t.Fatal(out)
		}
	}
	return &world{url: postgresURL(pg.address, database),
		blocked: "SELECT pg_isolation_test_session_is_blocked($1, $2)"}
}

// database is the name that PostgreSQL's own schedule plays the specs in; some of them name it.
const database = "isolation_regression"

func postgresURL(address, database string) string {
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable", address, database)
}
