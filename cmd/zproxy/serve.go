package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/session"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
	"zproxy/wire"
)

// serve serves a store until the context ends.
func (p *program) serve(ctx context.Context, o *options) error {
	log := p.logger(o)
	l, err := listen(cmp.Or(o.listen, defaultListen), o, log)
	if err != nil {
		return err
	}
	health, err := openHealth(o, log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer health.close()
	s, err := open(ctx, o, log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if err := s.firstPassword(ctx, o); err != nil {
		return errors.Join(err, l.Close(), s.store.Close())
	}
	health.serves(ctx, s)
	s.sayWhoMayConnect(o, log)
	fmt.Fprintf(p.out, "zproxy is ready; connect with: %s\n", connectLine(l, o))
	return s.serve(ctx, l)
}

// server is a store that is open, and what answers from it.
type server struct {
	store store.Store
	db    *session.DB
	wire  *wire.Server
}

func open(ctx context.Context, o *options, log *slog.Logger) (*server, error) {
	st, err := openStore(ctx, o, log)
	if err != nil {
		return nil, err
	}
	s, err := openOn(ctx, st, o, log)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return s, nil
}

// openOn opens what answers from a store.
func openOn(ctx context.Context, st store.Store, o *options, log *slog.Logger) (*server, error) {
	certificate, err := openCertificate(o, log)
	if err != nil {
		return nil, err
	}
	db, err := session.Open(ctx, st, session.Options{
		Log: log, Shared: o.store == storeDynamo, TempDir: o.tempDir, ExportDir: o.exportDir,
		Database: o.database,
		Settings: o.sessionSettings(st), Build: buildText(debug.ReadBuildInfo()),
		Memory: memory.NewPool(o.shares().sessions), Scheduler: newScheduler(st),
		RowCache: o.shares().rows,
	})
	if err != nil {
		return nil, err
	}
	return &server{store: st, db: db, wire: wire.NewServer(db, wire.Options{
		Log: log, MaxConnections: o.maxConnections, Certificate: certificate, RequireTLS: o.tlsRequire,
	})}, nil
}

// newScheduler has a slot for long statements to compute in for each processor. A store that is waited
// for has no scheduler, since it is not known whether a statement computes or waits.
func newScheduler(st store.Store) *cpu.Scheduler {
	if st.Capabilities().RangeRequests {
		return nil
	}
	return cpu.NewScheduler(runtime.GOMAXPROCS(0))
}

// sessionSettings are what sessions begin with, and what SHOW tells of the server.
func (o *options) sessionSettings(st store.Store) map[string]string {
	settings := map[string]string{
		"log_min_duration_statement": o.logMinDuration,
		"max_connections":            strconv.Itoa(o.maxConnections),
		"ssl":                        onOff(o.tlsCert != ""),
		"zproxy.heat":                onOff(o.heat),
		"zproxy.http":                o.http,
		"zproxy.min_free_disk":       fmt.Sprintf("%dMB", o.minFreeDisk>>20),
		"zproxy.store":               o.store,
	}
	if remote, ok := st.(*dynamostore.Store); ok {
		settings["zproxy.region"], settings["zproxy.endpoint"] = remote.Region(), remote.Endpoint()
		settings["zproxy.table_prefix"] = o.tablePrefix
	}
	settings["autovacuum"] = onOff(o.naptime == nil || *o.naptime > 0)
	if o.naptime != nil && *o.naptime > 0 {
		settings["autovacuum_naptime"] = strconv.FormatInt(o.naptime.Milliseconds(), 10)
	}
	if o.ttlInterval != nil {
		settings["zproxy.ttl_interval"] = strconv.FormatInt(o.ttlInterval.Milliseconds(), 10)
	}
	return settings
}

func onOff(b bool) string { return map[bool]string{true: "on", false: "off"}[b] }

// firstPassword gives the superuser that of the file, unless a role has one already.
func (s *server) firstPassword(ctx context.Context, o *options) error {
	if o.passwordFile == "" || !s.trusting() {
		return nil
	}
	content, err := os.ReadFile(o.passwordFile)
	if err != nil {
		return err
	}
	password := strings.TrimRight(string(content), "\r\n")
	if password == "" || strings.ContainsAny(password, "\r\n\x00") || !utf8.ValidString(password) {
		return fmt.Errorf("%s: a password is one line of text", o.passwordFile)
	}
	return s.db.SetBootstrap(ctx, o.superuser, password)
}

// trusting says whether no role has a password.
func (s *server) trusting() bool { return s.db.Authentication("").Trusted }

// sayWhoMayConnect logs in one line what keeps strangers out.
func (s *server) sayWhoMayConnect(o *options, log *slog.Logger) {
	passwords, encrypted := "needed", "no"
	if s.trusting() {
		passwords = "none is set: clients on this machine need none, others are refused"
	}
	switch {
	case o.tlsRequire:
		encrypted = "required"
	case o.tlsCert != "":
		encrypted = "if the client asks for it"
	}
	log.Info("who may connect", "passwords", passwords, "tls", encrypted)
}

// serve serves clients until the context ends, and closes the store when the last of
// them has been told.
func (s *server) serve(ctx context.Context, l net.Listener) error {
	err := s.wire.Serve(ctx, l)
	s.db.Close()
	return errors.Join(err, s.store.Close())
}

func openStore(ctx context.Context, o *options, log *slog.Logger) (store.Store, error) {
	switch o.store {
	case storeDynamo:
		st, err := openDynamo(ctx, o, log)
		if err != nil {
			return nil, err
		}
		return st, nil
	case storeMemory:
		log.Warn("the store is in memory: all rows are gone when zproxy ends")
		return memstore.New(memstore.Options{}), nil
	default:
		return openPebble(o, log)
	}
}

func openDynamo(ctx context.Context, o *options, log *slog.Logger) (*dynamostore.Store, error) {
	where := dynamostore.Options{Region: o.region, Endpoint: o.endpoint, TablePrefix: o.tablePrefix}
	if where.InClear() {
		log.Warn("requests to the endpoint go to another machine, and nothing is encrypted", "endpoint", o.endpoint)
	}
	st, err := dynamostore.Open(ctx, where)
	if err != nil {
		return nil, err
	}
	log.Info("the store is DynamoDB", "region", st.Region(), "endpoint", st.Endpoint(), "table-prefix",
		where.TablePrefix)
	if err := st.Reach(ctx); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

func openPebble(o *options, log *slog.Logger) (store.Store, error) {
	folder, err := filepath.Abs(o.data)
	if err != nil {
		return nil, err
	}
	log.Info("the store is Pebble", "folder", folder)
	st, err := pebblestore.Open(folder, o.pebble(log))
	switch {
	case errors.Is(err, syscall.EAGAIN): // the lock on the folder
		return nil, fmt.Errorf("another process has the folder %s open", folder)
	case err != nil:
		return nil, err
	}
	return st, nil
}

// pebble are the options of a store in a folder.
func (o *options) pebble(log *slog.Logger) pebblestore.Options {
	return pebblestore.Options{
		Logger: log, MinFree: o.minFreeDisk, CacheBytes: o.shares().cache, MemTableBytes: o.shares().memTable,
		Fatal: func(err error) {
			log.Error("zproxy ends", "error", err)
			os.Exit(exitFailed)
		},
	}
}

// listen refuses an address that other machines reach, unless there is TLS or that is
// wanted: everything between could be read on the way.
func listen(address string, o *options, log *slog.Logger) (net.Listener, error) {
	a, err := net.ResolveTCPAddr("tcp", address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--listen: %w", err)
	case a.IP.IsLoopback() || o.tlsCert != "":
	case o.insecureListen:
		log.Warn("other machines can connect, and nothing is encrypted", "address", address)
	default:
		return nil, fmt.Errorf("other machines could reach %s, and nothing would be encrypted: "+
			"give a certificate with --tls-cert and --tls-key, or allow it with --insecure-listen", address)
	}
	l, err := net.ListenTCP("tcp", a)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w: another process listens there; --listen %s takes any free port", err,
			net.JoinHostPort(a.IP.String(), "0"))
	}
	return l, err
}

// connectLine is how to connect from this machine.
func connectLine(l net.Listener, o *options) string {
	a := l.Addr().(*net.TCPAddr)
	host := a.IP.String()
	if a.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	user := "you"
	if o.passwordFile != "" {
		user = o.superuser
	}
	return fmt.Sprintf("psql -h %s -p %d -U %s %s", host, a.Port, user, cmp.Or(o.database, "postgres"))
}
