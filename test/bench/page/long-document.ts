/**
 * Snapshots and searches of a document of 60,000 elements, beside the snapshot that Playwright's MCP server
 * makes of it, which a client of that server would search itself.
 */
import { startPlaywrightMcp, type McpPeer } from '../../helpers/browser/mcp-peers.ts'
import { type Bench, type Figure, median, ms, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const rows = 10_000
const runs = 5
const targetMs = 500

const page = `<!doctype html><title>Orders</title><table></table><script>
  document.querySelector('table').innerHTML = Array.from({ length: ${rows} }, (_, n) =>
    '<tr><td>' + n + '<td><a href=%23>Order ' + n + '</a><td><button>Pay ' + n + '</button>').join('')
</script>`
const url = `data:text/html,${page}`

export const longDocument: Bench = {
  name: 'long-document',
  on: 'headless',
  async run(world) {
    await world.calm()
    const { id } = await world.create()
    const command = commandsOf(world, id)
    await command('navigate', { url })
    const look = () => command('snapshot', {})
    const find = () => command('find', { text: `Pay ${rows - 10}` })
    // The first one also waits for the layout of the page.
    await look()
    const [looks, finds] = [median(await timings(runs, look)), median(await timings(runs, find))]
    await world.release(id)
    const theirs = await peerMs(await startPlaywrightMcp())
    return [
      figureOf('snapshot of 60,000 elements', looks, theirs),
      figureOf('search of 60,000 elements', finds, theirs),
    ]
  },
}

const commandsOf = (world: World, id: string) => async (name: string, input: object) => {
  const { status } = await world.service.rest('POST', `/v1/sessions/${id}/commands/${name}`, input)
  if (status !== 200) throw new Error(`${name} answered ${status}`)
}

async function peerMs(peer: McpPeer): Promise<number> {
  try {
    await peer.call('browser_navigate', { url })
    const look = () => peer.call('browser_snapshot', {})
    return median(await timings(runs, look))
  } finally {
    await peer.close()
  }
}

const figureOf = (name: string, ours: number, theirs: number): Figure => ({
  name,
  ours: ms(ours),
  baseline: `${ms(theirs)} (snapshot of @playwright/mcp)`,
  ratio: ours / theirs,
  target: `≤ ${targetMs} ms`,
  met: ours <= targetMs,
})
