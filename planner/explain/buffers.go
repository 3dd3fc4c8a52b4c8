package explain

import (
	"fmt"

	"zproxy/planner/plan"
)

const blocksLabel = "Temp Written Blocks"

// blockBytes is how large a block is that PostgreSQL counts.
const blockBytes = 8192

// buffers says how many blocks a node and those below it wrote to temporary files. No store reads tables by blocks.
func (x *explainer) buffers(n plan.Node, number int) []property {
	if !x.Buffers || x.Profile == nil {
		return nil
	}
	var bytes int64
	for i := range plan.CountNodes(n) {
		bytes += x.Profile.Node(number + i).Spilled
	}
	out := counted(blocksLabel, (bytes+blockBytes-1)/blockBytes)
	out.lines, out.quiet = []string{fmt.Sprintf("Buffers: temp written=%s", out.value)}, bytes == 0
	return []property{out}
}
