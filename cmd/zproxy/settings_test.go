package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zproxy/store/memstore"
)

// parseCases are settings and what becomes of them: some of the options, or an error.
var parseCases = []struct {
	name    string
	command string
	args    string
	env     map[string]string
	file    string
	want    func(o *options) bool
	err     string
}{
	{name: "defaults", want: func(o *options) bool {
		return o.store == storePebble && o.data == "zproxy-data" && o.maxConnections == 1000 && !o.insecureListen
	}},
	{name: "flags", args: "--store dynamodb --region eu-west-1 --endpoint=http://localhost:8000", want: func(o *options) bool {
		return o.store == storeDynamo && o.region == "eu-west-1" && o.endpoint == "http://localhost:8000" &&
			o.tablePrefix == "zproxy"
	}},
	{name: "switch", args: "--insecure-listen --listen :1", want: func(o *options) bool { return o.insecureListen && o.listen == ":1" }},
	{name: "door", args: "--tls-cert c --tls-key k --tls-require --database d", want: func(o *options) bool {
		return o.tlsCert == "c" && o.tlsKey == "k" && o.tlsRequire && o.database == "d"
	}},
	{name: "environment", env: map[string]string{"ZPROXY_MAX_CONNECTIONS": "7"}, want: func(o *options) bool { return o.maxConnections == 7 }},
	{name: "file", file: "# clients\n\n max-connections = 8 # few\ndata=/x y\ninsecure-listen = true", want: func(o *options) bool {
		return o.maxConnections == 8 && o.data == "/x y" && o.insecureListen
	}},
	{name: "flag before environment before file", args: "--data flag", env: map[string]string{"ZPROXY_DATA": "env", "ZPROXY_LISTEN": "env"},
		file: "data = file\nlisten = file\nlog-level = warn", want: func(o *options) bool {
			return o.data == "flag" && o.listen == "env" && o.logLevel.String() == "WARN"
		}},
	{name: "demo", command: "demo", args: "--rows 10", env: map[string]string{"ZPROXY_DATA": "mine"},
		want: func(o *options) bool { return o.rows == 10 && o.data == "" }},
	{name: "unknown flag", args: "--port 1", err: "there is no setting --port"},
	{name: "flag of another command", args: "--rows 1", err: "there is no setting --rows"},
	{name: "word", args: "folder", err: `"folder" is no setting`},
	{name: "no value", args: "--data", err: "--data wants a value"},
	{name: "bad count", args: "--max-connections none", err: `--max-connections: "none" is not a count`},
	{name: "zero", args: "--max-connections 0", err: `"0" is not a count`},
	{name: "bad level", args: "--log-level loud", err: `--log-level: there is no level "loud"`},
	{name: "no folder", args: "--temp-dir /nowhere", err: "--temp-dir: stat /nowhere"},
	{name: "no folder for exports", args: "--export-dir /nowhere", err: "--export-dir: stat /nowhere"},
	{name: "a file as folder", args: "--temp-dir settings_test.go", err: "settings_test.go is no folder"},
	{name: "bad store", env: map[string]string{"ZPROXY_STORE": "disk"}, err: `ZPROXY_STORE: there is no store "disk"`},
	{name: "setting of another store", args: "--store memory --data x", err: "--data: only the store pebble has this setting, and the store is memory"},
	{name: "unknown name in the file", file: "data = x\nport = 1", err: `zproxy.conf:2: there is no setting "port"`},
	{name: "a file in the file", file: "config = x", err: `there is no setting "config"`},
	{name: "twice in the file", file: "data = x\ndata = y", err: "zproxy.conf:2: data is there twice"},
	{name: "no assignment", file: "data", err: "a line must be name = value"},
	{name: "bad value in the file", file: "insecure-listen = perhaps", err: `zproxy.conf:1: "perhaps" is neither true nor false`},
	{name: "no file", args: "--config /nowhere/zproxy.conf", err: "no such file"},
}

func TestParse(t *testing.T) {
	for _, c := range parseCases {
		t.Run(c.name, func(t *testing.T) {
			args, command := strings.Fields(c.args), "serve"
			if c.command != "" {
				command = c.command
			}
			if c.file != "" {
				path := filepath.Join(t.TempDir(), "zproxy.conf")
				if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, "--config", path)
			}
			o, err := parse(command, args, func(name string) (string, bool) { v, ok := c.env[name]; return v, ok })
			switch {
			case c.err == "" && err != nil:
				t.Fatal(err)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Fatalf("error %v, want one with %q", err, c.err)
			case c.want != nil && !c.want(o):
				t.Errorf("got %+v", *o)
			}
		})
	}
}

// TestHelp wants every setting in the help.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if code := newProgram(&out).run(t.Context(), []string{"help"}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, s := range settingTable {
		if !strings.Contains(out.String(), "--"+s.name) {
			t.Errorf("no --%s in the help", s.name)
		}
	}
}

// TestExitCodes runs commands that end at once.
func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{
		"version":                  0,
		"help":                     0,
		"--help":                   0,
		"demo -h":                  0,
		"sevre":                    exitUsage,
		"serve --port 1":           exitUsage,
		"serve --listen 0.0.0.0:0": exitFailed,
		"demo --listen :0":         exitFailed,
	} {
		var out bytes.Buffer
		if code := newProgram(&out).run(t.Context(), strings.Fields(args)); code != want {
			t.Errorf("%s: exit code %d, want %d\n%s", args, code, want, out.String())
		}
	}
}

// TestExportDir wants a server to be refused the directory for exports in which it can make no files.
func TestExportDir(t *testing.T) {
	o := &options{exportDir: filepath.Join(t.TempDir(), "gone"), maxConnections: 1, memory: 1 << 30,
		observing: observing{logMinDuration: "-1"}}
	_, err := openOn(t.Context(), memstore.New(memstore.Options{}), o, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "the directory for exports") {
		t.Errorf("%v", err)
	}
}
