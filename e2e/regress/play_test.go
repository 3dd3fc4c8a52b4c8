package regress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// mark begins the line that psql prints after each piece: its number and the SQLSTATE of the last statement follow.
	mark = "@@zproxy-regress"
	// silence is for how long psql may print nothing. A statement has less time.
	silence = 60 * time.Second
	// options are those of each session.
	options = "-c statement_timeout=20s -c zproxy.advice=off -c zproxy.full_scan=allow"
	// styles are what PostgreSQL's own runner sets. They are sent as statements, so that a refusal ends no session.
	styles = "SET datestyle = 'Postgres, MDY';\nSET intervalstyle = 'postgres_verbose';\n\\echo " + mark + " -1\n"
)

// answer is what psql prints for one piece.
type answer struct {
	text, state string
	// reached is whether psql got there: a false \if leaves pieces out, and a hang all that follow.
	reached bool
}

var (
	setVariable = regexp.MustCompile(`(?m)^\\set (\w+) :abs_srcdir '([^']+)'`)
	copyFile    = regexp.MustCompile(`(?is)^copy\s+(.*?)\s+from\s+:'(\w+)'(.*);$`)
)

// script is what psql reads. Where a server refuses to read a file of data itself, psql sends it in its stead, so that
// the tables are not empty for all that follows.
func script(pieces []piece, folder string) string {
	var b strings.Builder
	files := map[string]string{}
	b.WriteString(styles)
	for i, p := range pieces {
		text := p.text
		if p.copies {
			text = fmt.Sprintf("\\%s", fromFile(p.text, dataFile(folder, i)))
		}
		fmt.Fprintf(&b, "%s\n\\echo %s %d :SQLSTATE\n", text, mark, i)
		if strings.HasPrefix(strings.TrimSpace(p.text), `\c `) {
			b.WriteString(styles)
		}
		if m := setVariable.FindStringSubmatch(p.text); m != nil {
			files[m[1]] = folder + m[2]
		}
		if m := copyFile.FindStringSubmatch(strings.TrimSpace(uncommented(p.text))); m != nil && files[m[2]] != "" {
			fmt.Fprintf(&b, "\\if :ERROR\n\\copy %s from '%s' %s\n\\endif\n\\echo %s -1\n",
				strings.Join(strings.Fields(m[1]), " "), files[m[2]], m[3], mark)
		}
	}
	return b.String()
}

var fromStdin = regexp.MustCompile(`(?i)\bfrom\s+p?stdin\b`)

// fromFile is a COPY from standard input as the command of psql that sends a file: if a server refuses it, psql does
// not take the data for statements.
func fromFile(statement, path string) string {
	line := strings.TrimSuffix(strings.Join(strings.Fields(uncommented(statement)), " "), ";")
	return fromStdin.ReplaceAllLiteralString(line, "from '"+path+"'")
}

// dataFile is where the data of a piece are for psql.
func dataFile(folder string, i int) string { return fmt.Sprintf("%s/results/stdin-%d", folder, i) }

// writeData writes the files of data that psql sends.
func writeData(pieces []piece, folder string) error {
	for i, p := range pieces {
		if !p.copies {
			continue
		}
		if err := os.WriteFile(dataFile(folder, i), []byte(p.data), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// play lets psql run pieces, and returns the answer to each, and whether the server was silent for too long.
func play(s server, pieces []piece, folder string) (answers []answer, hung bool, err error) {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return nil, false, err
	}
	c := exec.Command("psql", "-X", "-d", "regression", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on")
	c.Dir = folder
	c.Env = append(os.Environ(), "PGHOST="+host, "PGPORT="+port, "PGUSER=postgres", "PGTZ=PST8PDT",
		"PGOPTIONS="+options, "LC_MESSAGES=C", "PGCONNECT_TIMEOUT=20",
		"PG_ABS_SRCDIR="+folder, "PG_ABS_BUILDDIR="+folder, "PG_LIBDIR="+folder, "PG_DLSUFFIX=.so")
	c.Stdin = strings.NewReader(script(pieces, folder))
	r, w, err := os.Pipe()
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = r.Close() }()
	c.Stdout, c.Stderr = w, w
	err = c.Start()
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, false, err
	}
	answers, hung = read(r, len(pieces), func() { _ = c.Process.Kill() })
	_ = c.Wait()
	return answers, hung, nil
}

// most is how much of an answer is kept.
const most = 1 << 20

// read divides what psql prints by the marks. It calls kill if psql prints nothing for long.
func read(r io.Reader, n int, kill func()) (answers []answer, hung bool) {
	answers = make([]answer, n)
	fired := make(chan struct{})
	timer := time.AfterFunc(silence, func() { close(fired); kill() })
	defer timer.Stop()
	lines := bufio.NewReader(r)
	var text strings.Builder
	for {
		line, err := lines.ReadString('\n')
		timer.Reset(silence)
		if err != nil {
			break
		}
		before, after, marked := strings.Cut(line, mark+" ")
		if text.Len() < most {
			text.WriteString(before)
		}
		if !marked {
			continue
		}
		number, state, _ := strings.Cut(strings.TrimSpace(after), " ")
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < n {
			answers[i] = answer{text.String(), state, true}
		}
		text.Reset()
	}
	select {
	case <-fired:
		return answers, true
	default:
		return answers, false
	}
}
