#!/usr/bin/env node
/** `troupe-mcp`: the browser as an MCP server over stdio. */
import { version } from '../runtime/lib/package.ts'

const help = `troupe-mcp ${version}: a browser of Troupe as MCP tools, over stdin and stdout.

An MCP client starts it. Settings come from the environment:
  SVC_BASE          where the service is (default: http://127.0.0.1:8080)
  SVC_API_KEY       a key of the service; one on this machine is tried with the development key
  SVC_SESSION_ID    work in this session, and leave it as it is at the end
  SVC_HEADFUL       1: the session has a desktop, which a person can watch and the os_ tools act on
  SVC_TOOLS         groups of further tools, comma-separated: permissions, scripts, tasks
  SVC_PAGE_MARKS    0: what pages say stands without marks around it
  SVC_KEEP_SESSION  1: the session lives on when the client leaves; else it ends with it
`

const [argument, ...others] = process.argv.slice(2)
if (argument === undefined) {
  // Loaded only when needed: the library takes a third of a second.
  const { runStdio, settingsOf } = await import('./mcp/stdio.ts')
  const { loadConfig } = await import('../runtime/config/config.ts')
  const { clientKey } = await import('../runtime/accounts/keys/client-key.ts')
  const settings = settingsOf(process.env, () => clientKey(loadConfig()))
  runStdio(settings, version)
} else if (others.length === 0 && ['--help', '-h'].includes(argument)) {
  process.stdout.write(help)
} else if (others.length === 0 && ['--version', '-v'].includes(argument)) {
  process.stdout.write(`${version}\n`)
} else {
  process.stderr.write(`troupe-mcp: it takes no arguments; see troupe-mcp --help\n`)
  process.exitCode = 2
}
