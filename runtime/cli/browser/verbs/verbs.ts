/**
 * The verbs of `troupe browser`: which command each runs, and which fields of its input stand without
 * a name. Everything else comes from the catalogue of commands: what a verb says of itself, and an
 * option for each further field. A command has a verb, or a reason in `withoutVerb`.
 */
import type { CommandName } from '../../../../proto/commands/catalogue.ts'

export interface ShellVerb {
  readonly command: CommandName
  /** Fields by position: `target text`, `[url]` if it may be left out, `values...` for all that follow. */
  readonly args?: string
  /** Fields with a fixed value. */
  readonly fixed?: Readonly<Record<string, unknown>>
  /** Fields that this verb does not offer. */
  readonly without?: readonly string[]
  /** Instead of the help of the command. */
  readonly about?: string
  /** The field of the input, or all of it, that a file has; its path comes first. */
  readonly reads?: 'code' | 'input'
  /** The field of the output, or all of it, that goes into a file; its path comes last. */
  readonly saves?: 'image' | 'pdf' | 'output'
  /** What to print of the output; absent: all of it. */
  readonly prints?: 'value' | 'text' | 'body'
  readonly examples: readonly string[]
}

/** REST has a second name for a target. */
const selector = ['selector']

export const verbs = {
  goto: {
    command: 'navigate',
    args: 'url',
    without: ['go'],
    about: 'Open a URL in the selected tab.',
    examples: ['goto https://example.com', 'goto https://example.com --wait-until commit'],
  },
  back: {
    command: 'navigate',
    fixed: { go: 'back' },
    without: ['url'],
    about: 'Go back.',
    examples: ['back'],
  },
  forward: {
    command: 'navigate',
    fixed: { go: 'forward' },
    without: ['url'],
    about: 'Go forward.',
    examples: ['forward'],
  },
  reload: {
    command: 'navigate',
    fixed: { go: 'reload' },
    without: ['url'],
    about: 'Load the page again.',
    examples: ['reload'],
  },
  stop: {
    command: 'navigate',
    fixed: { go: 'stop' },
    without: ['url', 'wait_until'],
    about: 'Stop loading.',
    examples: ['stop'],
  },
  snapshot: {
    command: 'snapshot',
    args: '[target]',
    examples: ['snapshot', 'snapshot e12 --urls'],
  },
  find: { command: 'find', args: 'text', examples: ['find "Total"'] },
  text: {
    command: 'extract_text',
    args: '[target]',
    examples: ['text', 'text main --format html'],
  },
  click: {
    command: 'click',
    args: 'target',
    without: selector,
    examples: ['click e12', `click 'button "Save"' --double`],
  },
  type: {
    command: 'type',
    args: 'target text',
    without: selector,
    examples: ['type e7 "Ada Lovelace"', 'type e7 shoes --submit'],
  },
  press: { command: 'press', args: 'key', examples: ['press Enter', 'press Control+a'] },
  select: {
    command: 'select_option',
    args: 'target values...',
    without: ['selector', 'value', 'label'],
    examples: ['select e9 Norway', 'select e9 Monday Friday'],
  },
  hover: {
    command: 'hover',
    args: '[target]',
    without: selector,
    examples: ['hover e4', 'hover --x 200 --y 80'],
  },
  drag: { command: 'drag', args: 'from [to]', examples: ['drag e3 e8'] },
  scroll: {
    command: 'scroll_page',
    args: '[target]',
    examples: ['scroll', 'scroll e30 --pages 0'],
  },
  'select-text': {
    command: 'select_text',
    args: '[target]',
    without: selector,
    examples: ['select-text e5', 'select-text --from Dear --to Regards'],
  },
  'fill-login': {
    command: 'fill_login',
    args: '[login]',
    examples: ['fill-login', 'fill-login shop.example --submit'],
  },
  'dialog-accept': {
    command: 'handle_dialog',
    args: '[text]',
    fixed: { accept: true },
    about: 'Accept the open dialog; TEXT answers a prompt.',
    examples: ['dialog-accept'],
  },
  'dialog-dismiss': {
    command: 'handle_dialog',
    fixed: { accept: false },
    without: ['text'],
    about: 'Dismiss the open dialog.',
    examples: ['dialog-dismiss'],
  },
  permit: {
    command: 'handle_permission',
    args: 'permission',
    fixed: { accept: true },
    about: 'Grant pages of this site what they ask for, until the session ends.',
    examples: ['permit geolocation', 'permit camera --origin https://meet.example'],
  },
  forbid: {
    command: 'handle_permission',
    args: 'permission',
    fixed: { accept: false },
    about: 'Refuse pages of this site what they ask for; without a grant, all is refused.',
    examples: ['forbid notifications'],
  },
  wait: {
    command: 'wait_for',
    args: '[text]',
    examples: ['wait "Thank you"', 'wait --text-gone Loading', 'wait --network-idle'],
  },
  screenshot: {
    command: 'screenshot',
    saves: 'image',
    examples: ['screenshot', 'screenshot page.png --full-page', 'screenshot --target e4'],
  },
  pdf: { command: 'pdf', saves: 'pdf', examples: ['pdf', 'pdf invoice.pdf --print-background'] },
  eval: {
    command: 'evaluate',
    args: 'expression',
    prints: 'value',
    about: 'Run JavaScript in the page and print its value.',
    examples: ['eval "document.title"'],
  },
  script: {
    command: 'run_script',
    reads: 'code',
    about: 'Run a Puppeteer function from a file (- is stdin), starting with the selected tab.',
    examples: ['script rows.js', `script rows.js --arguments '{"pages": 3}'`],
  },
  tabs: { command: 'tab_list', examples: ['tabs'] },
  'tab-new': { command: 'tab_new', args: '[url]', examples: ['tab-new https://example.com'] },
  'tab-select': { command: 'tab_select', args: 'tab', examples: ['tab-select 3F6A…'] },
  'tab-close': { command: 'tab_close', args: 'tab', examples: ['tab-close 3F6A…'] },
  console: { command: 'console', examples: ['console'] },
  network: { command: 'network', examples: ['network', 'network --bodies'] },
  body: { command: 'response_body', args: 'id', prints: 'body', examples: ['body 4711.12'] },
  route: {
    command: 'route',
    args: 'url',
    examples: [
      `route '*/api/cart' --body '{"items": []}'`,
      `route '*/api/*' --status 503 --times 2`,
      `route '*.png' --abort failed`,
    ],
  },
  routes: { command: 'routes', examples: ['routes'] },
  unroute: { command: 'unroute', args: '[url]', examples: ['unroute', `unroute '*/api/cart'`] },
  'state-save': {
    command: 'storage_state',
    saves: 'output',
    about: 'Print cookies and local storage as Playwright’s storageState; FILE instead keeps them.',
    examples: ['state-save login.json'],
  },
  'state-load': {
    command: 'set_storage_state',
    reads: 'input',
    without: ['cookies', 'origins'],
    about: 'Replace cookies and local storage by those of a file.',
    examples: ['state-load login.json'],
  },
  'mouse-click': {
    command: 'mouse_click',
    args: '[x] [y]',
    examples: ['mouse-click 200 80'],
  },
  'mouse-double-click': {
    command: 'mouse_double_click',
    args: 'x y',
    examples: ['mouse-double-click 200 80'],
  },
  'mouse-down': { command: 'mouse_down', args: 'x y', examples: ['mouse-down 200 80'] },
  'mouse-up': { command: 'mouse_up', args: 'x y', examples: ['mouse-up 200 80'] },
  'mouse-move': { command: 'mouse_move', args: 'x y', examples: ['mouse-move 200 80'] },
  'mouse-drag': {
    command: 'drag_and_drop',
    args: 'startX startY endX endY',
    examples: ['mouse-drag 200 80 400 80'],
  },
  'mouse-scroll': {
    command: 'scroll',
    args: 'x y deltaY',
    examples: ['mouse-scroll 200 80 600'],
  },
  'keyboard-type': {
    command: 'keyboard_type',
    args: 'text',
    examples: ['keyboard-type "Ada Lovelace"'],
  },
  'keyboard-shortcut': {
    command: 'keyboard_shortcut',
    args: 'keys...',
    examples: ['keyboard-shortcut Control s'],
  },
  'clipboard-read': { command: 'clipboard_read', prints: 'text', examples: ['clipboard-read'] },
  'clipboard-write': {
    command: 'clipboard_write',
    args: 'text',
    examples: ['clipboard-write "Ada Lovelace"'],
  },
  copy: { command: 'copy', prints: 'text', examples: ['copy'] },
  paste: { command: 'paste', args: 'text', examples: ['paste "Ada Lovelace"'] },
} as const satisfies Readonly<Record<string, ShellVerb>>

/** Commands that have no verb of this table, each with the reason. */
export const withoutVerb = {
  goto: 'The verb goto runs navigate, which answers with the page.',
  upload: 'The verb upload reads files of this machine.',
  attach_upload: 'The verb upload needs no upload before it.',
} as const satisfies Partial<Record<CommandName, string>>

type Reached = (typeof verbs)[keyof typeof verbs]['command'] | keyof typeof withoutVerb

/** Does not compile if a command of the catalogue is missing above. */
export const everyCommandIsReached: [Exclude<CommandName, Reached>] extends [never] ? true : never =
  true
