package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	hitRows = 10_000_000
	// clickLimit is how long a query may run.
	clickLimit = time.Minute
	clickGoal  = 1.5
	// addends is how many sums the query of many aggregates has.
	addends = 30
)

// The kinds of values that hits have. Users, sites, pages and phrases are skewed, these are the most that there can be.
const (
	hitUsers   = 2_000_000
	hitSites   = 5_000
	hitPages   = 20_000 // of a site
	hitPhrases = 300_000
	hitRegions = 5_000
)

const hitColumns = "(watchid int8 PRIMARY KEY, eventtime timestamp, eventdate date, counterid int4, clientip int4, regionid int4, " +
	"userid int8, url text, referer text, searchphrase text, resolutionwidth int2, advengineid int2, os int2, isrefresh int2)"

// hitTime is the month of the hits, in which they are spread evenly.
var hitTime = time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)

const hitSpan = 31 * 24 * time.Hour

// hits draws what visitors of web sites did, hit by hit in the order of time.
type hits struct {
	rows                         int
	random                       *rand.Rand
	users, sites, pages, phrases *rand.Zipf
}

func newHits(seed uint64, rows int) *hits {
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	return &hits{rows: rows, random: random,
		users:   rand.NewZipf(random, 1.1, 20, hitUsers-1),
		sites:   rand.NewZipf(random, 1.3, 5, hitSites-1),
		pages:   rand.NewZipf(random, 1.2, 10, hitPages-1),
		phrases: rand.NewZipf(random, 1.1, 10, hitPhrases-1)}
}

// mixed spreads numbers over all 64 bits: what belongs to a user or a page follows from its number.
func mixed(x uint64) uint64 {
	x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>29) * 0x94d049bb133111eb
	return x ^ x>>32
}

// oneIn is true in one of n cases.
func (h *hits) oneIn(n int) bool { return h.random.IntN(n) == 0 }

var hitWords = strings.Fields("about account alpine amber archive autumn bakery blog bridge camera canyon cards cellar cities coast " +
	"compare cotton craft dinner drive engine family festival film forest forum games garden gifts guitar harbour health hotel island " +
	"journal kitchen ladder letters library lights market meadow music news offers orchard paint piano places planet recipes river " +
	"search shelf shoes silver sports summer tables travel valley video winter yellow")

// word is one of the words; the bits above the shift say which.
func word(bits uint64, shift int) string { return hitWords[bits>>shift%uint64(len(hitWords))] }

// appendURL appends the address of a page. One of 300 pages tells that it was found by a search.
func appendURL(text []byte, site, page uint64) []byte {
	s, p := mixed(site), mixed(site<<32|page)
	text = fmt.Appendf(text, "https://www.%s-%s%d.example/%s/%s/%s-%d.html", word(s, 0), word(s, 8), site,
		word(p, 0), word(p, 8), word(p, 16), page)
	if p>>32%300 == 0 {
		text = append(text, "?utm_source=google"...)
	}
	return text
}

// appendPhrase appends what was searched for.
func appendPhrase(text []byte, phrase uint64, space byte) []byte {
	p := mixed(phrase)
	text = append(append(append(text, word(p, 0)...), space), word(p, 8)...)
	return fmt.Appendf(text, "%c%s%d", space, word(p, 16), phrase%1000)
}

// appendReferer appends where a hit came from: nowhere, another page of the site, or a search.
func (h *hits) appendReferer(text []byte, site uint64) []byte {
	switch h.random.IntN(6) {
	case 0, 1:
		return text
	case 2:
		engine := []string{"google", "finder", "seeker"}[h.random.IntN(3)]
		return appendPhrase(fmt.Appendf(text, "https://%s.example/search?q=", engine), h.phrases.Uint64(), '+')
	}
	return appendURL(text, site, h.pages.Uint64())
}

var hitWidths = []int{0, 1024, 1280, 1366, 1366, 1440, 1536, 1600, 1680, 1920, 1920, 1920, 2560, 3840}

// hitUser is the id of a user, negative or positive.
func hitUser(n uint64) int64 { return int64(mixed(n)) }

// appendRow appends row i in COPY's text format. Rows must be asked for in order.
func (h *hits) appendRow(text []byte, i int) []byte {
	at := hitTime.Add(time.Duration(i) * (hitSpan / time.Duration(h.rows)))
	user, site := h.users.Uint64(), h.sites.Uint64()
	u := mixed(user + hitUsers)
	// A power of an even distribution: region 1 has an eighth of the users.
	share := float64(u>>11) / (1 << 53)
	region := 1 + int(share*share*share*share*hitRegions)
	address := u
	if h.oneIn(4) {
		address = mixed(u + h.random.Uint64N(8)) // from elsewhere
	}
	text = fmt.Appendf(text, "%d\t%s\t%s\t%d\t%d\t%d\t%d\t", at.Unix()<<24|int64(i), at.Format(time.DateTime),
		at.Format(time.DateOnly), site, int32(address), region, hitUser(user))
	text = appendURL(text, site, h.pages.Uint64())
	text = h.appendReferer(append(text, '\t'), site)
	text = append(text, '\t')
	if h.oneIn(10) {
		text = appendPhrase(text, h.phrases.Uint64(), ' ')
	}
	engine := 0
	if h.oneIn(30) {
		engine = 1 + h.random.IntN(1+h.random.IntN(20))
	}
	refresh := 0
	if h.oneIn(7) {
		refresh = 1
	}
	return fmt.Appendf(text, "\t%d\t%d\t%d\t%d\n", hitWidths[u>>20%uint64(len(hitWidths))], engine,
		min(u>>30%100, u>>40%100, u>>50%100), refresh)
}

// clickQueries are of the kinds that ClickBench asks. Each has one answer: what it is ordered by is unique.
func clickQueries() []titled {
	var sums []string
	for k := range addends {
		sums = append(sums, fmt.Sprintf("sum(resolutionwidth + %d)", k))
	}
	queries := []titled{
		{"count of all", "SELECT count(*) FROM hits"},
		{"count with a filter", "SELECT count(*) FROM hits WHERE advengineid <> 0"},
		{"several aggregates", "SELECT sum(advengineid), count(*), avg(resolutionwidth), max(clientip), sum(isrefresh) FROM hits"},
		{"average of int8", "SELECT avg(userid) FROM hits"},
		{"distinct users", "SELECT count(DISTINCT userid) FROM hits"},
		{"distinct phrases", "SELECT count(DISTINCT searchphrase) FROM hits"},
		{"first and last date", "SELECT min(eventdate), max(eventdate) FROM hits"},
		{"30 sums", "SELECT " + strings.Join(sums, ", ") + " FROM hits"},
		{"one user", fmt.Sprintf("SELECT watchid, eventtime, url FROM hits WHERE userid = %d ORDER BY watchid LIMIT 20", hitUser(1000))},
	}
	return append(append(queries, groupQueries...), textQueries...)
}

// groupQueries are of groups of few and of many values.
var groupQueries = []titled{
	{"engines", "SELECT advengineid, count(*) AS n FROM hits WHERE advengineid <> 0 GROUP BY advengineid ORDER BY n DESC, advengineid"},
	{"regions by users", "SELECT regionid, count(DISTINCT userid) AS n FROM hits GROUP BY regionid ORDER BY n DESC, regionid LIMIT 10"},
	{"regions, several aggregates", "SELECT regionid, sum(advengineid), count(*) AS n, avg(resolutionwidth), count(DISTINCT userid) " +
		"FROM hits GROUP BY regionid ORDER BY n DESC, regionid LIMIT 10"},
	{"users", "SELECT userid, count(*) AS n FROM hits GROUP BY userid ORDER BY n DESC, userid LIMIT 10"},
	{"users and phrases", "SELECT userid, searchphrase, count(*) AS n FROM hits GROUP BY userid, searchphrase " +
		"ORDER BY n DESC, userid, searchphrase LIMIT 10"},
	{"users, minutes of the hour and phrases", "SELECT userid, extract(minute FROM eventtime) AS m, searchphrase, count(*) AS n FROM hits " +
		"GROUP BY userid, m, searchphrase ORDER BY n DESC, userid, m, searchphrase LIMIT 10"},
	{"minutes", "SELECT date_trunc('minute', eventtime) AS m, count(*) FROM hits WHERE eventdate BETWEEN '2024-03-14' AND '2024-03-15' " +
		"AND isrefresh = 0 GROUP BY m ORDER BY m LIMIT 10 OFFSET 1000"},
	{"addresses, expressions", "SELECT clientip, clientip - 1, clientip - 2, clientip - 3, count(*) AS n FROM hits " +
		"GROUP BY clientip, clientip - 1, clientip - 2, clientip - 3 ORDER BY n DESC, clientip LIMIT 10"},
	{"systems and addresses of searches", "SELECT os, clientip, count(*) AS n, sum(isrefresh), avg(resolutionwidth) FROM hits " +
		"WHERE searchphrase <> '' GROUP BY os, clientip ORDER BY n DESC, os, clientip LIMIT 10"},
}

// textQueries are of texts: groups of them and patterns.
var textQueries = []titled{
	{"phrases", "SELECT searchphrase, count(*) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchphrase " +
		"ORDER BY n DESC, searchphrase LIMIT 10"},
	{"phrases by users", "SELECT searchphrase, count(DISTINCT userid) AS n FROM hits WHERE searchphrase <> '' GROUP BY searchphrase " +
		"ORDER BY n DESC, searchphrase LIMIT 10"},
	{"systems and phrases", "SELECT os, searchphrase, count(*) AS n FROM hits WHERE searchphrase <> '' GROUP BY os, searchphrase " +
		"ORDER BY n DESC, os, searchphrase LIMIT 10"},
	{"first phrases", "SELECT searchphrase FROM hits WHERE searchphrase <> '' ORDER BY eventtime, watchid LIMIT 10"},
	{"addresses of pages", "SELECT url, count(*) AS n FROM hits GROUP BY url ORDER BY n DESC, url LIMIT 10"},
	{"LIKE", "SELECT count(*) FROM hits WHERE url LIKE '%google%'"},
	{"LIKE, phrases", "SELECT searchphrase, min(url), count(*) AS n FROM hits WHERE url LIKE '%google%' AND searchphrase <> '' " +
		"GROUP BY searchphrase ORDER BY n DESC, searchphrase LIMIT 10"},
	{"LIKE, first rows", "SELECT * FROM hits WHERE url LIKE '%google%' ORDER BY eventtime, watchid LIMIT 10"},
	{"sites by length of addresses", "SELECT counterid, avg(length(url)) AS l, count(*) FROM hits WHERE url <> '' GROUP BY counterid " +
		"HAVING count(*) > 1000 ORDER BY l DESC, counterid LIMIT 25"},
	{"referring sites of three days", "SELECT regexp_replace(referer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1') AS site, avg(length(referer)), " +
		"count(*) AS n, min(referer) FROM hits WHERE referer <> '' AND eventdate BETWEEN '2024-03-15' AND '2024-03-17' " +
		"GROUP BY site ORDER BY n DESC, site LIMIT 25"},
	{"pages of a site in a week", "SELECT url, count(*) AS n FROM hits WHERE counterid = 7 AND eventdate BETWEEN '2024-03-08' AND " +
		"'2024-03-14' AND isrefresh = 0 GROUP BY url ORDER BY n DESC, url LIMIT 10"},
	{"sources of a site", "SELECT CASE WHEN advengineid = 0 THEN referer ELSE '' END AS source, url, count(*) AS n FROM hits " +
		"WHERE counterid = 7 GROUP BY source, url ORDER BY n DESC, source, url LIMIT 10 OFFSET 100"},
}

// fillClicks fills the table on both sides.
func (b *bench) fillClicks(ctx context.Context, conns [2]*pgx.Conn) (loads [2]time.Duration, err error) {
	rows := b.scaled(hitRows)
	for i, s := range b.sides {
		loads[i], err = load(ctx, conns[i], loading{table: "hits", columns: hitColumns, rows: rows,
			appendRow: newHits(b.seed, rows).appendRow, after: append(s.atRest("hits"), "ANALYZE hits")})
		if err != nil {
			return loads, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return loads, rest(ctx)
}

// measureClicks compares answers and times of queries over the hits of web sites.
func measureClicks(ctx context.Context, b *bench) (*section, error) {
	conns, closeBoth, err := b.connectSides(ctx)
	if err != nil {
		return nil, err
	}
	defer closeBoth()
	loads, err := b.fillClicks(ctx, conns)
	if err != nil {
		return nil, err
	}
	queries := clickQueries()
	var differences []error
	for _, q := range queries {
		if err := b.compareAnswers(ctx, conns, q.query); err != nil {
			differences = append(differences, fmt.Errorf("%s: %w: %s", q.name, err, q.query))
		}
	}
	if differences != nil {
		return nil, errors.Join(differences...)
	}
	out := &section{unit: milliseconds, note: "cores", about: []string{
		fmt.Sprintf("Queries like ClickBench's over %s rows of %s, with no index but that of the primary key. Most values are skewed; "+
			"a third of the referers and nine tenths of the phrases are empty. The answers were compared. PostgreSQL's "+
			"shared_buffers are smaller than the table at its full size, and the machine's cache is larger. ",
			thousands(float64(b.scaled(hitRows))), strings.Trim(hitColumns, "()")) + modesNote(clickLimit),
		loadNote(b.sides, loads)}}
	var goals []goal
	slow := table{heads: []string{"cores", "slowest query", "times faster"}}
	for _, m := range modes {
		lines, err := b.timeQueries(ctx, m, queries, clickLimit)
		if err != nil {
			return nil, err
		}
		out.lines = append(out.lines, lines...)
		mean, slowest := speeds(lines, out.unit)
		slow.add(m.name, slowest.name, digits(slowest.ratio(out.unit)))
		goals = append(goals, goal{what: "times faster, geometric mean, " + m.name, wanted: clickGoal, reached: mean,
			atLeast: true})
	}
	texts := table{heads: []string{"case", "query"}}
	for _, q := range queries {
		texts.add(q.name, "`"+q.query+"`")
	}
	out.tables = []table{goalTable(goals), slow, texts}
	return out, nil
}
