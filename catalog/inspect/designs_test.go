package inspect

import (
	"fmt"
	"strings"

	"zproxy/store/sample"
)

// designs are the tables of the test, each with other conventions.
var designs = []func(seed uint64) *design{
	shop, tenants, social, devices, rooms, bank, games, hotels, repositories, employees, plainTable,
}

// lines are the lines of a text.
func lines(text string) (out []string) {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// shop has a discriminator, and orders with lines behind them.
func shop(seed uint64) *design {
	d := newDesign("shop", seed, "GSI1")
	customer := d.kind("type = 'Customer'", lines(`pk 'CUSTOMER#{customer}'
		sk 'PROFILE'
		"GSI1PK" 'EMAIL#{email}'
		"GSI1SK" 'CUSTOMER'`), lines(`customer uuid
		email text OPTIONS (attribute_name 'email')
		address jsonb
		"createdAt" text
		name text
		tags text[] OPTIONS (attribute_type 'SS')`))
	order := d.kind("type = 'Order'", lines(`pk 'ORDER#{"orderId"}'
		sk 'METADATA'
		"GSI1PK" 'CUSTOMER#{"customerId"}'
		"GSI1SK" 'ORDER#{"createdAt"}'`), lines(`"orderId" integer OPTIONS (attribute_name 'orderId')
		"customerId" uuid OPTIONS (attribute_name 'customerId')
		"createdAt" text OPTIONS (attribute_name 'createdAt')
		paid boolean
		status text
		total numeric`))
	line := d.kind("type = 'OrderItem'", lines(`pk 'ORDER#{order_id}'
		sk 'LINE#{line:04}'`), lines(`order_id integer
		line integer
		info jsonb
		qty numeric
		sku text
		"unitPrice" numeric`))
	var ids []string
	for range 80 {
		id, email := d.uuid(), d.email()
		ids = append(ids, id)
		d.add(customer, d.item("PK", "CUSTOMER#"+id, "SK", "PROFILE", "GSI1PK", "EMAIL#"+email, "GSI1SK", "CUSTOMER",
			"type", "Customer", "email", email, "name", d.user(), "address?", other(sample.Map), "createdAt",
			d.moment(),
			"tags?", other(sample.StringSet)))
	}
	for range 200 {
		id, of, at := 1000+d.IntN(90000), d.one(ids...), d.moment()
		pk := fmt.Sprintf("ORDER#%d", id)
		d.add(order, d.item("PK", pk, "SK", "METADATA", "GSI1PK", "CUSTOMER#"+of, "GSI1SK", "ORDER#"+at, "type",
			"Order",
			"orderId", id, "customerId", of, "createdAt", at, "total", d.price(), "status", d.one("OPEN", "PAID",
				"SHIPPED"),
			"paid?", true))
		for n := range 1 + d.IntN(4) {
			d.add(line, d.item("PK", pk, "SK", fmt.Sprintf("LINE#%04d", n+1), "type", "OrderItem", "sku",
				d.one("LAMP", "DESK", "CHAIR")+fmt.Sprint(d.IntN(40)), "qty", 1+d.IntN(5), "unitPrice", d.price(),
				"info?", other(sample.Map)))
		}
	}
	d.add(wrong, d.item("PK", "ORDER#17", "SK", "LINE#abc", "type", "OrderItem", "sku", "X1", "qty", 1, "unitPrice", 2))
	d.add(wrong, d.item("PK", "test", "SK", "test"))
	d.add(wrong, d.item("PK", "ORDER#", "SK", "METADATA", "type", "Order", "orderId", 0, "status", "OPEN", "total", 1))
	return d
}

// tenants have few names, which are words, and no discriminator.
func tenants(seed uint64) *design {
	d := newDesign("tenants", seed, "GSI1")
	tenant := d.kind("", lines(`pk 'TENANT#{tenant}'
		sk 'METADATA'`), lines(`tenant text
		"createdAt" text
		name text
		plan text
		seats numeric`))
	user := d.kind("", lines(`pk 'TENANT#{tenant}'
		sk 'USER#{"userId"}'
		"GSI1PK" 'EMAIL#{email}'
		"GSI1SK" 'TENANT#{tenant}'`), lines(`tenant text
		"userId" uuid OPTIONS (attribute_name 'userId')
		email text OPTIONS (attribute_name 'email')
		active boolean
		"createdAt" text
		"lastLogin" numeric
		roles text[] OPTIONS (attribute_type 'SS')`))
	role := d.kind("", lines(`pk 'TENANT#{tenant}'
		sk 'ROLE#{role}'`), lines(`tenant text
		role text
		description text
		permissions text[] OPTIONS (attribute_type 'SS')
		"builtIn" boolean`))
	for _, name := range []string{"acme", "globex", "initech", "umbrella", "hooli", "stark", "wayne"} {
		pk := "TENANT#" + name
		d.add(tenant, d.item("PK", pk, "SK", "METADATA", "name", strings.ToUpper(name), "plan", d.one("free", "pro"),
			"seats", d.IntN(500), "createdAt", d.moment()))
		for range 30 + d.IntN(60) {
			id, email := d.uuid(), d.email()
			d.add(user, d.item("PK", pk, "SK", "USER#"+id, "GSI1PK", "EMAIL#"+email, "GSI1SK", pk, "userId", id,
				"email", email, "roles?", other(sample.StringSet), "active", d.IntN(2) == 0, "createdAt", d.moment(),
				"lastLogin?", 1_700_000_000+d.IntN(1000)))
		}
		for _, name := range []string{"admin", "editor", "viewer", "billing-admin"} {
			d.add(role, d.item("PK", pk, "SK", "ROLE#"+name, "permissions", other(sample.StringSet), "description?",
				d.text(),
				"builtIn", true))
		}
	}
	d.add(wrong, d.item("PK", "TENANT#acme", "SK", "USER#not-a-uuid", "userId", "not-a-uuid", "email", "x", "active",
		true,
		"createdAt", "x"))
	d.add(wrong, d.item("PK", "COUNTER", "SK", "COUNTER", "value", 7))
	return d
}

// social has names of users as values in several labels, and times in keys.
func social(seed uint64) *design {
	d := newDesign("social", seed, "GSI1")
	user := d.kind("_type = 'user'", lines(`pk 'USER#{username}'
		sk 'USER#{username}'`), lines(`username text OPTIONS (attribute_name 'username')
		bio text
		"displayName" text
		"followerCount" numeric`))
	post := d.kind("_type = 'post'", lines(`pk 'USER#{author}'
		sk 'POST#{"postId"}'
		"GSI1PK" 'POST#{"postId"}'
		"GSI1SK" '{"createdAt"}'`), lines(`author text OPTIONS (attribute_name 'author')
		"postId" text OPTIONS (attribute_name 'postId')
		"createdAt" text OPTIONS (attribute_name 'createdAt')
		body text
		media jsonb
		tags text[] OPTIONS (attribute_type 'SS')`))
	comment := d.kind("_type = 'comment'", lines(`pk 'POST#{post}'
		sk 'COMMENT#{comment}#{comment_2}'`), lines(`post text
		comment text
		comment_2 text
		author text
		text text`))
	like := d.kind("_type = 'like'", lines(`pk 'POST#{post}'
		sk 'LIKE#{"like"}'`), lines(`post text
		"like" text
		at text`))
	like2 := &d.kinds[like]
	like2.options[1], like2.columns[1] = `sk 'LIKE#{like_id}'`, "like_id text"
	names := d.users(60)
	for _, u := range names {
		d.add(user, d.item("PK", "USER#"+u, "SK", "USER#"+u, "_type", "user", "username", u, "displayName",
			strings.ToUpper(u),
			"bio?", d.text(), "followerCount", d.IntN(9000)))
	}
	for range 120 {
		u, id, at := d.one(names...), d.ulid(), d.moment()
		d.add(post, d.item("PK", "USER#"+u, "SK", "POST#"+id, "GSI1PK", "POST#"+id, "GSI1SK", at, "_type", "post",
			"postId", id, "author", u, "createdAt", at, "body", d.text(), "tags?", other(sample.StringSet),
			"media?", other(sample.List)))
		for range d.IntN(5) {
			d.add(comment, d.item("PK", "POST#"+id, "SK", "COMMENT#"+d.moment()+"#"+d.hex(10), "_type", "comment",
				"author", d.one(names...), "text", d.text()))
		}
		for range d.IntN(5) {
			d.add(like, d.item("PK", "POST#"+id, "SK", "LIKE#"+d.one(names...), "_type", "like", "at", d.moment()))
		}
	}
	d.add(wrong, d.item("PK", "POST#1", "SK", "COMMENT#"+d.moment(), "_type", "comment", "author", "x", "text", "y"))
	d.add(wrong, d.item("PK", "POST#1", "SK", "LIKES#bob", "_type", "likes", "at", d.moment()))
	return d
}

// devices have a partition for each day, and no discriminator.
func devices(seed uint64) *design {
	d := newDesign("devices", seed)
	d.table.TTL = "expiresAt"
	device := d.kind("", lines(`pk 'DEVICE#{device}'
		sk 'METADATA'`), lines(`device text
		firmware text
		location jsonb
		model text
		sensors text[] OPTIONS (attribute_type 'SS')`))
	reading := d.kind("", lines(`pk 'DEVICE#{"deviceId"}#{device_day}'
		sk 'READING#{at}'`), lines(`"deviceId" text OPTIONS (attribute_name 'deviceId')
		device_day date
		at text OPTIONS (attribute_name 'at')
		battery numeric
		"expiresAt" numeric
		humidity numeric
		raw bytea
		temperature numeric`))
	for range 40 {
		id := d.hex(12)
		d.add(device, d.item("PK", "DEVICE#"+id, "SK", "METADATA", "model", d.one("T100", "T200"), "firmware",
			d.one("1.0.2", "1.1.0"), "location?", other(sample.Map), "sensors", other(sample.StringSet)))
		for range 20 {
			at := d.moment()
			d.add(reading, d.item("PK", "DEVICE#"+id+"#"+at[:10], "SK", "READING#"+at, "deviceId", id, "at", at,
				"temperature",
				decimal(fmt.Sprint(d.IntN(40))+".5"), "humidity?", d.IntN(100), "battery", d.IntN(100), "expiresAt",
				1_800_000_000+d.IntN(1000000), "raw?", other(sample.Binary)))
		}
	}
	d.add(wrong, d.item("PK", "DEVICE#ff00ff00ff00#20240501", "SK", "READING#"+d.moment(), "deviceId", "ff00ff00ff00",
		"at", "x"))
	return d
}

// rooms are joined by colons, with small letters.
func rooms(seed uint64) *design {
	d := newDesign("rooms", seed)
	d.table.Partition.Name, d.table.Sort.Name = "pk", "sk"
	d.table.Indexes = []sample.Index{{Name: "inverted", Keys: []sample.Attribute{d.table.Sort, d.table.Partition}}}
	room := d.kind("kind = 'room'", lines(`pk 'room:{room}'
		sk 'meta'`), lines(`room integer
		"createdAt" numeric
		private boolean
		title text`))
	member := d.kind("kind = 'member'", lines(`pk 'room:{room}'
		sk 'member:{member}'`), lines(`room integer
		member text
		"joinedAt" numeric
		muted boolean
		role text`))
	message := d.kind("kind = 'message'", lines(`pk 'room:{room}'
		sk 'msg:{id}'`), lines(`room integer
		id text OPTIONS (attribute_name 'id')
		body text
		"from" text
		mentions text[] OPTIONS (attribute_type 'SS')
		reactions jsonb`))
	names := d.users(50)
	for r := range 30 {
		pk := fmt.Sprintf("room:%d", 100+7*r)
		d.add(room, d.item("pk", pk, "sk", "meta", "kind", "room", "title", d.text(), "private", d.IntN(2) == 0,
			"createdAt", 1_700_000_000+d.IntN(10000000)))
		for i := range 8 {
			d.add(member, d.item("pk", pk, "sk", "member:"+names[(r+5*i)%50], "kind", "member", "joinedAt",
				1_700_000_000+d.IntN(10000000), "role", d.one("owner", "guest"), "muted?", true))
		}
		for range 25 {
			id := d.ulid()
			d.add(message, d.item("pk", pk, "sk", "msg:"+id, "kind", "message", "id", id, "from", d.one(names...),
				"body", d.text(), "mentions?", other(sample.StringSet), "reactions?", other(sample.Map)))
		}
	}
	d.add(wrong, d.item("pk", "room:general", "sk", "meta", "kind", "room", "title", "x", "private", true, "createdAt",
		1))
	d.add(wrong, d.item("pk", "room:100", "sk", "msg:"+d.ulid(), "body", "no kind"))
	return d
}

// bank has an attribute called type that tells no kinds, and numbers padded with zeros.
func bank(seed uint64) *design {
	d := newDesign("bank", seed, "GSI1")
	account := d.kind("", lines(`pk 'ACCT#{acct:010}'
		sk 'ACCOUNT'
		"GSI1PK" 'BRANCH#{branch:03}'
		"GSI1SK" 'ACCT#{acct:010}'`), lines(`acct bigint
		branch integer
		balance numeric
		currency text
		"openedOn" text
		owner text`))
	transaction := d.kind("", lines(`pk 'ACCT#{acct:010}'
		sk 'TXN#{seq:08}'`), lines(`acct bigint
		seq integer OPTIONS (attribute_name 'seq')
		amount numeric
		"bookedAt" text
		memo text
		type text`))
	for range 50 {
		number := fmt.Sprintf("%010d", d.IntN(1_000_000_00))
		pk := "ACCT#" + number
		d.add(account, d.item("PK", pk, "SK", "ACCOUNT", "GSI1PK", fmt.Sprintf("BRANCH#%03d", d.IntN(40)), "GSI1SK", pk,
			"owner", d.user(), "currency", d.one("EUR", "USD"), "balance", d.price(), "openedOn", d.day()))
		for seq := range 20 {
			d.add(transaction, d.item("PK", pk, "SK", fmt.Sprintf("TXN#%08d", seq+1), "seq", seq+1, "amount", d.price(),
				"type", d.one("debit", "credit"), "bookedAt", d.moment(), "memo?", d.text()))
		}
	}
	d.add(wrong, d.item("PK", "ACCT#12345", "SK", "TXN#1", "seq", 1, "amount", 1, "type", "debit", "bookedAt",
		d.moment()))
	d.add(wrong, d.item("PK", "ACCT#0000012345", "SK", "TXN#00000001x", "seq", 1, "amount", 1, "type", "debit",
		"bookedAt", d.moment()))
	return d
}
