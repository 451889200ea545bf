/** All commands, by name. */
import {
  clickCommand,
  dragCommand,
  evaluateCommand,
  handleDialogCommand,
  hoverCommand,
  pressCommand,
  scrollPageCommand,
  selectOptionCommand,
  typeCommand,
  uploadCommand,
} from './page/acting.ts'
import {
  clipboardReadCommand,
  clipboardWriteCommand,
  copyCommand,
  pasteCommand,
} from './os-control/clipboard.ts'
import type { InputOf, OutputOf } from './command.ts'
import { keyboardShortcutCommand, keyboardTypeCommand } from './os-control/keyboard.ts'
import {
  navigateCommand,
  tabCloseCommand,
  tabListCommand,
  tabNewCommand,
  tabSelectCommand,
  waitForCommand,
} from './page/moving.ts'
import { attachUploadCommand, gotoCommand, screenshotCommand } from './os-control/page.ts'
import {
  dragAndDropCommand,
  mouseClickCommand,
  mouseDoubleClickCommand,
  mouseDownCommand,
  mouseMoveCommand,
  mouseUpCommand,
  scrollCommand,
} from './os-control/pointer.ts'
import { fillLoginCommand } from './page/logging-in.ts'
import { extractTextCommand, findCommand, pdfCommand, snapshotCommand } from './page/reading.ts'
import {
  consoleLinesCommand,
  networkRequestsCommand,
  responseBodyCommand,
} from './page/observing.ts'
import { handlePermissionCommand } from './page/permitting.ts'
import { listRoutesCommand, routeCommand, unrouteCommand } from './page/routing.ts'
import { selectTextCommand } from './page/selecting.ts'
import { runScriptCommand } from './page/scripting.ts'
import { setStorageStateCommand, storageStateCommand } from './page/storing.ts'

export const commandCatalogue = [
  mouseClickCommand,
  mouseDoubleClickCommand,
  mouseDownCommand,
  mouseUpCommand,
  mouseMoveCommand,
  dragAndDropCommand,
  scrollCommand,
  keyboardTypeCommand,
  keyboardShortcutCommand,
  clipboardReadCommand,
  clipboardWriteCommand,
  copyCommand,
  pasteCommand,
  gotoCommand,
  attachUploadCommand,
  screenshotCommand,
  snapshotCommand,
  findCommand,
  extractTextCommand,
  navigateCommand,
  clickCommand,
  typeCommand,
  pressCommand,
  hoverCommand,
  selectOptionCommand,
  selectTextCommand,
  dragCommand,
  scrollPageCommand,
  uploadCommand,
  fillLoginCommand,
  handleDialogCommand,
  handlePermissionCommand,
  waitForCommand,
  evaluateCommand,
  tabListCommand,
  tabNewCommand,
  tabSelectCommand,
  tabCloseCommand,
  consoleLinesCommand,
  networkRequestsCommand,
  responseBodyCommand,
  routeCommand,
  unrouteCommand,
  listRoutesCommand,
  pdfCommand,
  runScriptCommand,
  storageStateCommand,
  setStorageStateCommand,
] as const

type Entry = (typeof commandCatalogue)[number]
export type CommandName = Entry['name']
export type CommandOf<N extends CommandName> = Extract<Entry, { readonly name: N }>
export type CommandInput<N extends CommandName> = InputOf<CommandOf<N>>
export type CommandOutput<N extends CommandName> = OutputOf<CommandOf<N>>

/** One command with its input, as its schema parsed it. */
export type CommandCall = {
  readonly [N in CommandName]: { readonly command: N; readonly input: CommandInput<N> }
}[CommandName]
