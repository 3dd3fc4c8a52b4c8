package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the values of the settings.
type options struct {
	listen         string
	insecureListen bool
	tlsCert        string
	tlsKey         string
	tlsRequire     bool
	maxConnections int
	http           string
	tempDir        string
	exportDir      string
	memory         int64
	rounds
	observing
	access
	storage
	offline
}

// offline is what the commands do that serve no clients.
type offline struct {
	checking
	inspecting
}

// access is who may connect, and to what.
type access struct {
	database     string
	superuser    string
	passwordFile string
}

// rounds are how often the server does by itself what is to be done with tables.
type rounds struct {
	ttlInterval *time.Duration // nil: as the store likes it
	naptime     *time.Duration // between looks for statistics to renew; nil: a minute
}

// observing is what is logged and counted.
type observing struct {
	logMinDuration string
	logLevel       slog.Level
	heat           bool
}

// storage is the store, and where it is.
type storage struct {
	store       string
	data        string
	region      string
	endpoint    string
	tablePrefix string
	minFreeDisk int64
}

// checking is what zproxy check does.
type checking struct {
	rows    int
	repair  bool
	salvage string
}

// inspecting is what zproxy inspect reads.
type inspecting struct {
	table       string
	sampleItems int
	sampleUnits int
}

// The stores.
const (
	storePebble = "pebble"
	storeDynamo = "dynamodb"
	storeMemory = "memory"
)

// defaultListen is where serve listens, and where demo begins to look for a free port.
const defaultListen = "127.0.0.1:5433"

// setting is one row of the table of settings, from which the flags, the environment,
// the file and the help are made.
type setting struct {
	name     string
	arg      string // what help calls the value; empty: a switch
	initial  string
	commands string // which have it
	store    string // which one it belongs to; empty: any
	help     string
	take     func(o *options, value string) error
}

// settingTable is every setting there is.
var settingTable = []setting{
	{name: "config", arg: "FILE", commands: "serve check inspect", help: "a file of lines name = value; # begins a comment",
		take: func(*options, string) error { return nil }},
	{name: "listen", arg: "HOST:PORT", commands: "serve demo", help: "where to listen (" + defaultListen + "; demo: the first free port from there)",
		take: text(func(o *options) *string { return &o.listen })},
	{name: "insecure-listen", initial: "false", commands: "serve demo", help: "allow an address that other machines reach without TLS",
		take: boolean(func(o *options) *bool { return &o.insecureListen })},
	{name: "tls-cert", arg: "FILE", commands: "serve", help: "the certificate of TLS, and those above it, as PEM; read again when it changes",
		take: text(func(o *options) *string { return &o.tlsCert })},
	{name: "tls-key", arg: "FILE", commands: "serve", help: "the key of the certificate, as PEM",
		take: text(func(o *options) *string { return &o.tlsKey })},
	{name: "tls-require", initial: "false", commands: "serve", help: "refuse clients that do not use TLS",
		take: boolean(func(o *options) *bool { return &o.tlsRequire })},
	{name: "database", arg: "NAME", commands: "serve", help: "the one name of the default database; otherwise it has any until another is made",
		take: text(func(o *options) *string { return &o.database })},
	{name: "password-file", arg: "FILE", commands: "serve", help: "the first password, for the superuser; read when no role has one",
		take: text(func(o *options) *string { return &o.passwordFile })},
	{name: "superuser", arg: "NAME", initial: "zproxy", commands: "serve", help: "who gets the password of password-file",
		take: text(func(o *options) *string { return &o.superuser })},
	{name: "store", arg: "KIND", initial: storePebble, commands: "serve check inspect", help: "pebble, in a folder; dynamodb; or memory, which forgets all at the end",
		take: takeStore},
	{name: "data", arg: "FOLDER", initial: "zproxy-data", commands: "serve check", store: storePebble, help: "where pebble keeps its files; made if missing",
		take: text(func(o *options) *string { return &o.data })},
	{name: "min-free-disk", arg: "MB", initial: "256", commands: "serve check demo", help: "refuse writes when fewer megabytes of the disk with the data are free; 0: never",
		take: takeMegabytes},
	{name: "region", arg: "NAME", commands: "serve check inspect", store: storeDynamo, help: "the AWS region; otherwise as the AWS environment says",
		take: text(func(o *options) *string { return &o.region })},
	{name: "endpoint", arg: "URL", commands: "serve check inspect", store: storeDynamo, help: "another DynamoDB than that of AWS, such as DynamoDB Local",
		take: text(func(o *options) *string { return &o.endpoint })},
	{name: "table-prefix", arg: "WORD", initial: "zproxy", commands: "serve check inspect", store: storeDynamo, help: "the first part of the names of DynamoDB tables",
		take: text(func(o *options) *string { return &o.tablePrefix })},
	{name: "max-connections", arg: "COUNT", initial: "1000", commands: "serve demo", help: "clients at a time; more are refused",
		take: count(func(o *options) *int { return &o.maxConnections })},
	{name: "temp-dir", arg: "FOLDER", commands: "serve demo", help: "where statements put what is too large for memory; otherwise where the system has its own",
		take: folder(func(o *options) *string { return &o.tempDir })},
	{name: "export-dir", arg: "FOLDER", commands: "serve demo", help: "where partitions are exported to by the export_after of their table; otherwise this process exports none",
		take: folder(func(o *options) *string { return &o.exportDir })},
	{name: "memory", arg: "AMOUNT", initial: "75%", commands: "serve demo check inspect", help: "what the process may take, such as 2GB, or a part of what the machine or its control group allows",
		take: func(o *options, value string) (err error) { o.memory, err = memoryOf(value); return err }},
	{name: "http", arg: "HOST:PORT", commands: "serve demo", help: "where to answer /metrics, /healthz and /readyz over HTTP, as 127.0.0.1:9433; otherwise nowhere",
		take: text(func(o *options) *string { return &o.http })},
	{name: "log-min-duration-statement", arg: "MS", initial: "-1", commands: "serve demo", help: "log statements that take so long, without their literals; -1 logs none",
		take: takeMilliseconds},
	{name: "ttl-interval", arg: "TIME", commands: "serve demo", help: "how often rows that have expired by the ttl of their table are removed, such as 30s or 1h; 0: never (5m; dynamodb: 0, it removes them itself)",
		take: interval(func(o *options) **time.Duration { return &o.ttlInterval })},
	{name: "autovacuum-naptime", arg: "TIME", commands: "serve demo", help: "how often the statistics of tables are renewed of which a tenth has changed; 0: by ANALYZE alone (1m)",
		take: interval(func(o *options) **time.Duration { return &o.naptime })},
	{name: "heat", initial: "true", commands: "serve demo", help: "count which keys are read and written most, for zproxy.hot_keys and zproxy.key_heat",
		take: boolean(func(o *options) *bool { return &o.heat })},
	{name: "log-level", arg: "LEVEL", initial: "info", commands: "serve demo check inspect", help: "debug, info, warn or error",
		take: takeLevel},
	{name: "repair", initial: "false", commands: "check", help: "put, replace or take away the entries that are not right",
		take: boolean(func(o *options) *bool { return &o.repair })},
	{name: "salvage", arg: "FOLDER", commands: "check", store: storePebble, help: "copy what can be read of a damaged store to a new folder, and list what cannot",
		take: text(func(o *options) *string { return &o.salvage })},
	{name: "table", arg: "NAME", commands: "inspect", store: storeDynamo, help: "the table of another program; the name may also stand alone",
		take: text(func(o *options) *string { return &o.table })},
	{name: "sample-items", arg: "COUNT", initial: "2000", commands: "inspect", store: storeDynamo, help: "read no more items than so many",
		take: count(func(o *options) *int { return &o.sampleItems })},
	{name: "sample-units", arg: "COUNT", initial: "500", commands: "inspect", store: storeDynamo, help: "read for no more read units than so many, at least 66",
		take: count(func(o *options) *int { return &o.sampleUnits })},
	{name: "rows", arg: "COUNT", initial: "1000000", commands: "demo", help: "load no more places than so many",
		take: count(func(o *options) *int { return &o.rows })},
}

func text(field func(*options) *string) func(*options, string) error {
	return func(o *options, value string) error {
		*field(o) = value
		return nil
	}
}

func boolean(field func(*options) *bool) func(*options, string) error {
	return func(o *options, value string) (err error) {
		if *field(o), err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		return nil
	}
}

func count(field func(*options) *int) func(*options, string) error {
	return func(o *options, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a count", value)
		}
		*field(o) = n
		return nil
	}
}

// takeMilliseconds takes what sessions begin with.
func takeMilliseconds(o *options, value string) error {
	if n, err := strconv.ParseInt(value, 10, 32); err != nil || n < -1 {
		return fmt.Errorf("%q is not a number of milliseconds, nor -1", value)
	}
	o.logMinDuration = value
	return nil
}

func takeMegabytes(o *options, value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of megabytes", value)
	}
	o.minFreeDisk = n << 20
	return nil
}

func interval(field func(*options) **time.Duration) func(*options, string) error {
	return func(o *options, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 || d > math.MaxInt32*time.Millisecond {
			return fmt.Errorf("%q is not a time such as 30s or 1h, of at most 24 days", value)
		}
		*field(o) = &d
		return nil
	}
}

// folder takes one that must be there. Whether files can be made in it shows later.
func folder(field func(*options) *string) func(*options, string) error {
	return func(o *options, value string) error {
		about, err := os.Stat(value)
		if err == nil && !about.IsDir() {
			err = fmt.Errorf("%s is no folder", value)
		}
		*field(o) = value
		return err
	}
}

func takeLevel(o *options, value string) error {
	if err := o.logLevel.UnmarshalText([]byte(value)); err != nil {
		return fmt.Errorf("there is no level %q; there are debug, info, warn and error", value)
	}
	return nil
}

func takeStore(o *options, value string) error {
	if !slices.Contains([]string{storePebble, storeDynamo, storeMemory}, value) {
		return fmt.Errorf("there is no store %q; there are %s, %s and %s", value, storePebble, storeDynamo, storeMemory)
	}
	o.store = value
	return nil
}

// of says whether a command has the setting.
func (s *setting) of(command string) bool {
	return slices.Contains(strings.Fields(s.commands), command)
}

// initially is the default of a setting. Only DynamoDB has tables of other programs, so inspect needs no --store.
func (s *setting) initially(command string) string {
	if command == "inspect" && s.name == "store" {
		return storeDynamo
	}
	return s.initial
}

// variable is the setting's name in the environment.
func (s *setting) variable() string {
	return "ZPROXY_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

// given is a value and where it was given, for errors.
type given struct{ value, where string }

// parse reads the settings of a command. A flag goes before the environment, that before
// the file, and that before the default.
func parse(command string, args []string, env func(string) (string, bool)) (*options, error) {
	values, err := fromFlags(command, args)
	if err != nil {
		return nil, err
	}
	for _, s := range settingTable {
		value, ok := env(s.variable())
		if _, before := values[s.name]; ok && !before && s.of(command) {
			values[s.name] = given{value, s.variable()}
		}
	}
	if file, ok := values["config"]; ok {
		if err := fromFile(command, file.value, values); err != nil {
			return nil, err
		}
	}
	return take(command, values)
}

func take(command string, values map[string]given) (*options, error) {
	o := &options{}
	for _, s := range settingTable {
		g, ok := values[s.name]
		if !ok {
			g = given{s.initially(command), "the default of " + s.name}
		}
		if (ok || s.initial != "") && s.of(command) {
			if err := s.take(o, g.value); err != nil {
				return nil, fmt.Errorf("%s: %w", g.where, err)
			}
		}
	}
	for _, s := range settingTable {
		if g, ok := values[s.name]; ok && s.store != "" && s.store != o.store {
			return nil, fmt.Errorf("%s: only the store %s has this setting, and the store is %s", g.where, s.store,
				o.store)
		}
	}
	return o, nil
}

// asSettings is an error of the package flag in the words of settings.
func asSettings(err error) error {
	for begins, format := range map[string]string{
		"flag provided but not defined: -": "there is no setting --%s",
		"flag needs an argument: -":        "--%s wants a value",
	} {
		if name, ok := strings.CutPrefix(err.Error(), begins); ok {
			return fmt.Errorf(format, name)
		}
	}
	return err
}

func fromFlags(command string, args []string) (map[string]given, error) {
	values := map[string]given{}
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, s := range settingTable {
		set := func(value string) error {
			values[s.name] = given{value, "--" + s.name}
			return nil
		}
		switch {
		case !s.of(command):
		case s.arg == "":
			flags.BoolFunc(s.name, s.help, set)
		default:
			flags.Func(s.name, s.help, set)
		}
	}
	if err := flags.Parse(args); err != nil {
		return nil, asSettings(err)
	}
	rest := flags.Args()
	if _, before := values["table"]; command == "inspect" && len(rest) > 0 && !before {
		values["table"] = given{rest[0], "the name of the table"}
		if err := flags.Parse(rest[1:]); err != nil { // settings may stand behind it
			return nil, asSettings(err)
		}
		rest = flags.Args()
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%q is no setting", rest[0])
	}
	return values, nil
}

// fromFile adds what a file says and nothing before it has said.
func fromFile(command, path string, values map[string]given) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		where := fmt.Sprintf("%s:%d", path, number)
		name, value, err := assignment(command, line)
		if err == nil && seen[name] {
			err = fmt.Errorf("%s is there twice", name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		seen[name] = true
		if _, before := values[name]; !before {
			values[name] = given{value, where}
		}
	}
	return nil
}

// assignment reads a line name = value.
func assignment(command, line string) (name, value string, err error) {
	name, value, ok := strings.Cut(line, "=")
	if !ok {
		return "", "", errors.New("a line must be name = value")
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	// The file is that of serve; another command takes of it what it has itself.
	known := func(s setting) bool {
		return s.name == name && s.name != "config" && (s.of(command) || s.of("serve"))
	}
	if !slices.ContainsFunc(settingTable, known) {
		return "", "", fmt.Errorf("there is no setting %q", name)
	}
	return name, value, nil
}
