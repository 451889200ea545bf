/** All commands, by name. */
import {
  click,
  drag,
  evaluate,
  handleDialog,
  hover,
  press,
  scrollPage,
  selectOption,
  type,
  upload,
} from './acting.ts'
import { clipboardRead, clipboardWrite, copy, paste } from './clipboard.ts'
import type { InputOf, OutputOf } from './command.ts'
import { keyboardShortcut, keyboardType } from './keyboard.ts'
import { navigate, tabClose, tabList, tabNew, tabSelect, waitFor } from './moving.ts'
import { attachUpload, goTo, screenshot } from './page.ts'
import {
  dragAndDrop,
  mouseClick,
  mouseDoubleClick,
  mouseDown,
  mouseMove,
  mouseUp,
  scroll,
} from './pointer.ts'
import { consoleLines, extractText, find, networkRequests, pdf, snapshot } from './reading.ts'

export const catalogue = [
  mouseClick,
  mouseDoubleClick,
  mouseDown,
  mouseUp,
  mouseMove,
  dragAndDrop,
  scroll,
  keyboardType,
  keyboardShortcut,
  clipboardRead,
  clipboardWrite,
  copy,
  paste,
  goTo,
  attachUpload,
  screenshot,
  snapshot,
  find,
  extractText,
  navigate,
  click,
  type,
  press,
  hover,
  selectOption,
  drag,
  scrollPage,
  upload,
  handleDialog,
  waitFor,
  evaluate,
  tabList,
  tabNew,
  tabSelect,
  tabClose,
  consoleLines,
  networkRequests,
  pdf,
] as const

type Entry = (typeof catalogue)[number]
export type CommandName = Entry['name']
export type CommandOf<N extends CommandName> = Extract<Entry, { readonly name: N }>
export type CommandInput<N extends CommandName> = InputOf<CommandOf<N>>
export type CommandOutput<N extends CommandName> = OutputOf<CommandOf<N>>

/** One command with its input, as its schema parsed it. */
export type Action = {
  readonly [N in CommandName]: { readonly command: N; readonly input: CommandInput<N> }
}[CommandName]
