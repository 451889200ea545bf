/** The screen after `troupe up` has started: everything needed for a first session. */
import type { Config } from '../../config/config.ts'
import { devKeyRefusal } from '../../accounts/keys/dev-key-refusal.ts'
import { devKeys } from '../../accounts/keys/client-key.ts'
import type { TerminalScreen } from '../terminal/screen.ts'

export interface WelcomeFacts {
  readonly config: Config
  readonly base: string
  readonly logPath: string | undefined
}

export function welcomeLines(
  screen: TerminalScreen,
  { config, base, logPath }: WelcomeFacts,
): string[] {
  const [devKey] = devKeyRefusal(config) === undefined ? devKeys(config) : []
  const key = devKey ?? '$SVC_API_KEY'
  const keyNote =
    devKey !== undefined ? '(for development; others: npm run troupe -- keys create --help)' : ''
  const keyText = devKey ?? 'npm run troupe -- keys create --tenant me --name first'
  return [
    '',
    screen.title('Troupe is up.'),
    '',
    `  Base URL  ${base}`,
    `  API key   ${keyText}  ${screen.faint(keyNote)}`.trimEnd(),
    '',
    '  Create a session; the answer has its cdp_url and its live_view_url:',
    `    curl -X POST ${base}/v1/sessions -H 'service-api-key: ${key}'`,
    '  Drive it with Playwright:',
    '    const browser = await chromium.connectOverCDP(cdp_url)',
    `  More first steps: open ${base} in a browser.`,
    '  Scoped access, with a client to look at: npm run troupe -- access demo',
    '',
    `  Data      ${config.DATA_DIR}`,
    ...(logPath === undefined ? [] : [`  Log       ${logPath}`]),
    '  Stop      Ctrl-C',
    '',
  ]
}
