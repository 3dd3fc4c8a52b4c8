package dynamofake

// delayed is a request that waits to be carried out, though its client has had an answer.
type delayed struct {
	request  request
	call     call     // as it was
	requests int      // until it lands
	token    string   // of a transaction
	keys     []string // of the items that it holds
}

// mostDelay is how many requests may pass before a delayed one is carried out.
const mostDelay = 40

// all is a choice of delayed requests: every one.
func all(*delayed) bool { return true }

// delay puts a write aside. It says false for a request that writes nothing, and for one that
// would not be carried out anyway. Half of the transactions are prepared: they will succeed,
// and hold their items until then, so that others meet conflicts.
func (c *call) delay(r request) bool {
	d := &delayed{request: r, call: *c, requests: 1 + c.random.IntN(mostDelay)}
	d.call.faults = Faults{}
	switch r := r.(type) {
	case *putItem, *deleteItem, *updateItem, *batchWrite:
	case *transactWrite:
		if c.earlier(r.ClientRequestToken) != nil {
			return false
		}
		d.token = r.ClientRequestToken
		if c.random.IntN(2) == 0 {
			changes, err := r.plan(c)
			if err != nil {
				return false
			}
			for _, ch := range changes {
				d.keys = append(d.keys, ch.id())
				c.held[ch.id()] = d
			}
		}
		if d.token != "" {
			c.tokens[d.token] = &attempt{sum: r.sum, running: true}
		}
	default:
		return false
	}
	c.waiting = append(c.waiting, d)
	return true
}

// land carries out the delayed requests of a choice, in the order in which they came.
func (f *Fake) land(which func(*delayed) bool) {
	var stay []*delayed
	waiting := f.waiting
	f.waiting = nil
	for _, d := range waiting {
		if !which(d) {
			stay = append(stay, d)
			continue
		}
		for _, key := range d.keys {
			delete(f.held, key)
		}
		if d.token != "" {
			delete(f.tokens, d.token)
		}
		c := d.call
		c.now = f.options.Now()
		_, err := d.request.run(&c) // the answer is lost
		c.count(err != nil, true)
	}
	f.waiting = append(stay, f.waiting...)
}
