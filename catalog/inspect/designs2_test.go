package inspect

import (
	"fmt"

	"zproxy/store/sample"
)

// games have scores in the sort key of an index.
func games(seed uint64) *design {
	d := newDesign("games", seed, "GSI1")
	game := d.kind("entity = 'game'", lines(`pk 'GAME#{game}'
		sk 'INFO'`), lines(`game text
		genres text[] OPTIONS (attribute_type 'SS')
		published boolean
		title text`))
	player := d.kind("entity = 'score'", lines(`pk 'GAME#{game}'
		sk 'PLAYER#{"playerId"}'
		"GSI1PK" 'BOARD#{game}'
		"GSI1SK" '{score:010}'`), lines(`game text
		"playerId" uuid OPTIONS (attribute_name 'playerId')
		score bigint OPTIONS (attribute_name 'score')
		badges text[] OPTIONS (attribute_type 'SS')
		nick text`))
	match := d.kind("entity = 'match'", lines(`pk 'MATCH#{match}'
		sk 'MATCH#{match}'`), lines(`match uuid
		durations numeric[] OPTIONS (attribute_type 'NS')
		game text
		players text[] OPTIONS (attribute_type 'SS')
		replay bytea`))
	names := []string{"chess", "go", "tetris", "pong-classic", "snake", "doom"}
	for _, name := range names {
		d.add(game, d.item("PK", "GAME#"+name, "SK", "INFO", "entity", "game", "title", d.text(), "genres",
			other(sample.StringSet), "published", true))
		for range 60 {
			id, score := d.uuid(), d.IntN(5_000_000)
			d.add(player, d.item("PK", "GAME#"+name, "SK", "PLAYER#"+id, "GSI1PK", "BOARD#"+name, "GSI1SK",
				fmt.Sprintf("%010d", score), "entity", "score", "playerId", id, "score", score, "nick", d.user(),
				"badges?", other(sample.StringSet)))
		}
	}
	for range 90 {
		id := d.uuid()
		d.add(match, d.item("PK", "MATCH#"+id, "SK", "MATCH#"+id, "entity", "match", "players", other(sample.StringSet),
			"durations", other(sample.NumberSet), "replay?", other(sample.Binary), "game", d.one(names...)))
	}
	d.add(wrong, d.item("PK", "GAME#chess", "SK", "PLAYER#bot", "entity", "score", "playerId", "bot", "score", 1,
		"nick", "bot"))
	return d
}

// hotels have dates in keys, once with and once without a label.
func hotels(seed uint64) *design {
	d := newDesign("hotels", seed, "GSI1")
	hotel := d.kind(`"entityType" = 'HOTEL'`, lines(`pk 'HOTEL#{hotel:03}'
		sk 'HOTEL#{hotel:03}'`), lines(`hotel integer
		amenities text[] OPTIONS (attribute_type 'SS')
		city text
		name text
		stars numeric`))
	room := d.kind(`"entityType" = 'ROOM'`, lines(`pk 'HOTEL#{hotel:03}'
		sk 'ROOM#{"roomNumber"}'`), lines(`hotel integer
		"roomNumber" integer OPTIONS (attribute_name 'roomNumber')
		beds numeric
		rate numeric
		"seaView" boolean`))
	booking := d.kind(`"entityType" = 'BOOKING'`, lines(`pk 'HOTEL#{hotel:03}'
		sk 'BOOKING#{"checkIn"}#{booking_2}'
		"GSI1PK" 'GUEST#{"guestEmail"}'
		"GSI1SK" '{"checkIn"}'`), lines(`hotel integer
		"checkIn" date OPTIONS (attribute_name 'checkIn')
		booking_2 uuid
		"guestEmail" text OPTIONS (attribute_name 'guestEmail')
		extras jsonb
		nights numeric
		"roomNumber" numeric`))
	for h := range 25 {
		pk := fmt.Sprintf("HOTEL#%03d", h+1)
		d.add(hotel, d.item("PK", pk, "SK", pk, "entityType", "HOTEL", "name", d.text(), "city", d.one("Oslo", "Rome"),
			"stars", 1+d.IntN(5), "amenities?", other(sample.StringSet)))
		for r := range 6 {
			n := 100*(1+r%3) + r
			d.add(room, d.item("PK", pk, "SK", fmt.Sprintf("ROOM#%d", n), "entityType", "ROOM", "roomNumber", n,
				"beds", 1+d.IntN(4), "rate", d.price(), "seaView?", true))
		}
		for range 20 {
			day, email := d.day(), d.email()
			d.add(booking, d.item("PK", pk, "SK", "BOOKING#"+day+"#"+d.uuid(), "GSI1PK", "GUEST#"+email, "GSI1SK", day,
				"entityType", "BOOKING", "checkIn", day, "guestEmail", email, "nights", 1+d.IntN(14),
				"roomNumber", 100+d.IntN(99), "extras?", other(sample.List)))
		}
	}
	d.add(wrong, d.item("PK", "HOTEL#001", "SK", "BOOKING#01/05/2024#"+d.uuid(), "entityType", "BOOKING", "checkIn",
		"01/05/2024", "guestEmail", "x", "nights", 1, "roomNumber", 100))
	d.add(wrong, d.item("PK", "HOTEL#01", "SK", "HOTEL#01", "entityType", "HOTEL", "name", "x", "city", "Oslo", "stars",
		1))
	return d
}

// repositoryKinds are what should be found of repositories: account, repo, issue, pull, star.
func repositoryKinds(d *design) {
	d.kind("type = 'Account'", lines(`pk 'ACCOUNT#{username}'
		sk 'ACCOUNT#{username}'
		"GSI1PK" 'EMAIL#{email}'
		"GSI1SK" 'ACCOUNT#{username}'`), lines(`username text OPTIONS (attribute_name 'username')
		email text OPTIONS (attribute_name 'email')
		plan jsonb`))
	d.kind("type = 'Repo'", lines(`pk 'REPO#{owner}#{"repoName"}'
		sk 'REPO#{owner}#{"repoName"}'
		"GSI1PK" 'ACCOUNT#{owner}'
		"GSI1SK" 'REPO#{"updatedAt"}'`), lines(`owner text OPTIONS (attribute_name 'owner')
		"repoName" text OPTIONS (attribute_name 'repoName')
		"updatedAt" text OPTIONS (attribute_name 'updatedAt')
		private boolean
		stars numeric
		topics text[] OPTIONS (attribute_type 'SS')`))
	d.kind("type = 'Issue'", lines(`pk 'REPO#{owner}#{"repoName"}'
		sk 'ISSUE#{number:07}'
		"GSI1PK" 'REPO#{owner}#{"repoName"}'
		"GSI1SK" 'ISSUE#{state}#{"createdAt"}'`), lines(`owner text OPTIONS (attribute_name 'owner')
		"repoName" text OPTIONS (attribute_name 'repoName')
		number integer OPTIONS (attribute_name 'number')
		state text OPTIONS (attribute_name 'state')
		"createdAt" text OPTIONS (attribute_name 'createdAt')
		labels text[] OPTIONS (attribute_type 'SS')
		title text`))
	d.kind("type = 'PullRequest'", lines(`pk 'PR#{owner}#{"repoName"}#{number:07}'
		sk 'PR#{owner}#{"repoName"}#{number:07}'
		"GSI1PK" 'REPO#{owner}#{"repoName"}'
		"GSI1SK" 'PR#{state}#{"createdAt"}'`), lines(`owner text OPTIONS (attribute_name 'owner')
		"repoName" text OPTIONS (attribute_name 'repoName')
		number integer OPTIONS (attribute_name 'number')
		state text OPTIONS (attribute_name 'state')
		"createdAt" text OPTIONS (attribute_name 'createdAt')
		branch text
		title text`))
	d.kind("type = 'Star'", lines(`pk 'REPO#{repo}#{repo_2}'
		sk 'STAR#{star}'`), lines(`repo text
		repo_2 text
		star text
		at text`))
}

// repositories have an index whose keys mean something else for each kind.
func repositories(seed uint64) *design {
	d := newDesign("repositories", seed, "GSI1")
	repositoryKinds(d)
	const account, repo, issue, pull, star = 0, 1, 2, 3, 4
	names := d.users(40)
	for _, u := range names {
		email := d.email()
		d.add(account, d.item("PK", "ACCOUNT#"+u, "SK", "ACCOUNT#"+u, "GSI1PK", "EMAIL#"+email, "GSI1SK", "ACCOUNT#"+u,
			"type", "Account", "username", u, "email", email, "plan?", other(sample.Map)))
	}
	for range 80 {
		owner, name, at := d.one(names...), d.one("site", "api", "docs", "cli")+"-"+d.hex(3), d.moment()
		key := owner + "#" + name
		d.add(repo, d.item("PK", "REPO#"+key, "SK", "REPO#"+key, "GSI1PK", "ACCOUNT#"+owner, "GSI1SK", "REPO#"+at,
			"type", "Repo", "owner", owner, "repoName", name, "updatedAt", at, "private", d.IntN(2) == 0, "stars",
			d.IntN(900),
			"topics?", other(sample.StringSet)))
		for n := range d.IntN(12) {
			number, state, at := fmt.Sprintf("%07d", n+1), d.one("OPEN", "CLOSED"), d.moment()
			if d.IntN(2) == 0 {
				d.add(issue, d.item("PK", "REPO#"+key, "SK", "ISSUE#"+number, "GSI1PK", "REPO#"+key, "GSI1SK",
					"ISSUE#"+state+"#"+at, "type", "Issue", "owner", owner, "repoName", name, "number", n+1, "state",
					state,
					"createdAt", at, "title", d.text(), "labels?", other(sample.StringSet)))
				continue
			}
			pk := "PR#" + key + "#" + number
			d.add(pull, d.item("PK", pk, "SK", pk, "GSI1PK", "REPO#"+key, "GSI1SK", "PR#"+state+"#"+at,
				"type", "PullRequest", "owner", owner, "repoName", name, "number", n+1, "state", state, "createdAt", at,
				"title", d.text(), "branch?", "fix-"+d.hex(4)))
		}
		for range d.IntN(6) {
			d.add(star, d.item("PK", "REPO#"+key, "SK", "STAR#"+d.one(names...), "type", "Star", "at", d.moment()))
		}
	}
	d.add(wrong, d.item("PK", "REPO#solo", "SK", "REPO#solo", "type", "Repo", "owner", "solo", "private", false,
		"stars", 0))
	d.add(wrong, d.item("PK", "REPO#a#b", "SK", "STAR#", "type", "Star", "at", d.moment()))
	return d
}

// employees have numbers and sets, a numeric sort key of an index, and no discriminator.
func employees(seed uint64) *design {
	d := newDesign("employees", seed)
	d.table.Partition.Name, d.table.Sort.Name = "Id", "Range"
	d.table.Indexes = []sample.Index{{Name: "ByPlace", Keys: []sample.Attribute{
		{Name: "Location", Type: sample.String}, {Name: "Salary", Type: sample.Number},
	}}}
	employee := d.kind("", lines(`pk 'EMP-{emp}'
		sk 'DETAILS'
		"Location" 'LOC-{loc}-{loc_2}'`), lines(`emp integer
		loc text
		loc_2 text
		"Levels" numeric[] OPTIONS (attribute_type 'NS')
		"Name" text
		"Salary" numeric
		"Skills" text[] OPTIONS (attribute_type 'SS')`))
	quota := d.kind("", lines(`pk 'EMP-{emp}'
		sk 'QUOTA-{quota}-{quota_2}'`), lines(`emp integer
		quota integer
		quota_2 text
		"Amount" numeric
		"Reached" boolean`))
	building := d.kind("", lines(`pk 'LOC-{loc}-{loc_2}'
		sk 'BUILDING-{"Building"}'`), lines(`loc text
		loc_2 text
		"Building" integer OPTIONS (attribute_name 'Building')
		"Badges" bytea[] OPTIONS (attribute_type 'BS')
		"Capacity" numeric
		"Floors" jsonb`))
	where := []string{"US-Seattle", "US-Boston", "NO-Oslo", "IT-Rome", "DE-Berlin"}
	for e := range 120 {
		pk := fmt.Sprintf("EMP-%d", 1000+3*e)
		d.add(employee, d.item("Id", pk, "Range", "DETAILS", "Location", "LOC-"+d.one(where...), "Salary",
			1000*d.IntN(90),
			"Name", d.user(), "Skills?", other(sample.StringSet), "Levels?", other(sample.NumberSet)))
		for _, q := range []string{"Q1", "Q2", "Q3"} {
			d.add(quota, d.item("Id", pk, "Range", fmt.Sprintf("QUOTA-%d-%s", 2020+d.IntN(5), q), "Amount",
				d.IntN(90000),
				"Reached?", true))
		}
	}
	for i, w := range where {
		for n := range 12 {
			d.add(building, d.item("Id", "LOC-"+w, "Range", fmt.Sprintf("BUILDING-%d", 10*i+n), "Building", 10*i+n,
				"Capacity", d.IntN(900), "Floors", other(sample.List), "Badges?", other(sample.BinarySet)))
		}
	}
	d.add(wrong, d.item("Id", "EMP-new", "Range", "DETAILS", "Name", "x", "Salary", 1))
	return d
}

// plainTable has items of one kind, with keys that are values as they are.
func plainTable(seed uint64) *design {
	d := newDesign("plain", seed)
	d.table.Partition.Name, d.table.Sort = "email", sample.Attribute{}
	d.table.Indexes = []sample.Index{{Name: "by_country", Keys: []sample.Attribute{
		{Name: "country", Type: sample.String}, {Name: "created", Type: sample.Number},
	}}}
	kind := d.kind("", nil, lines(`email text
		country text
		created numeric
		name text
		preferences jsonb
		roles text[] OPTIONS (attribute_type 'SS')
		status text
		verified boolean`))
	for range 500 {
		d.add(kind, d.item("email", d.one("info.", "sales.", "")+d.email(), "country", d.one("NO", "IT", "DE", "FR"),
			"created",
			1_700_000_000+d.IntN(1000000), "name", d.text(), "status", d.one("active", "blocked"), "verified?", true,
			"preferences?", other(sample.Map), "roles?", other(sample.StringSet)))
	}
	return d
}
