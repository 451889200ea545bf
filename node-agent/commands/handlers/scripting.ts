/** Runs scripts of callers. */
import type { ScriptResult } from '../../scripts/session-scripts.ts'
import type { HandlersOf } from './handler.ts'

export const scriptingHandlers: HandlersOf<'run_script'> = {
  async run_script(context, { code, arguments: args, timeout: timeoutMs }) {
    let result: ScriptResult | undefined
    const seen = await context.watch(async ({ tab }) => {
      result = await context.runScript({ code, args, timeoutMs, tabId: tab.id })
    })
    return { ...seen, ...result! }
  },
}
