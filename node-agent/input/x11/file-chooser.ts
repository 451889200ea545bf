/**
 * File choosers that pages have opened on a desktop. They are windows of the toolkit, not of
 * Chromium: CDP can fill in the page's input while one is open, but cannot close it.
 */
import type { DisplayConnection } from './display-connection.ts'

const chooserRole = 'GtkFileChooserDialog'
const clientMessage = 33
/** The event mask of messages to the window manager, which are sent to the root window (EWMH). */
const forWindowManager = (1 << 19) | (1 << 20)
const anyType = 0
const propertyWords = 1_024

/**
 * Asks the window manager to close all open choosers, with the same effect as their Cancel button.
 */
export async function closeFileChoosers(display: DisplayConnection): Promise<void> {
  const [list, role, close] = await Promise.all(
    ['_NET_CLIENT_LIST', 'WM_WINDOW_ROLE', '_NET_CLOSE_WINDOW'].map((name) => display.atom(name)),
  )
  const bytes = await propertyOf(display, display.root, list!)
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const window = bytes.readUInt32LE(at)
    // A window that has disappeared meanwhile needs no closing.
    const found = await propertyOf(display, window, role!).catch(() => Buffer.alloc(0))
    if (found.toString('latin1') === chooserRole) askToClose(display, window, close!)
  }
  await display.settle()
}

async function propertyOf(display: DisplayConnection, window: number, property: number) {
  const { data } = await display.ask<{ data: Buffer }>((client, reply) =>
    client.GetProperty(0, window, property, anyType, 0, propertyWords, reply),
  )
  return data
}

function askToClose(display: DisplayConnection, window: number, message: number): void {
  const event = Buffer.alloc(32)
  event.writeUInt8(clientMessage, 0)
  event.writeUInt8(32, 1)
  event.writeUInt32LE(window, 4)
  event.writeUInt32LE(message, 8)
  display.tell((client) => client.SendEvent(display.root, 0, forWindowManager, event))
}
