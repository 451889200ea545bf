/**
 * The output of `troupe up`: one line per step, coloured and updated in place on a terminal, plain
 * text elsewhere.
 */
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

export class TerminalScreen {
  readonly #live = process.stdout.isTTY === true && process.env['TERM'] !== 'dumb'
  readonly #colour = this.#live && !process.env['NO_COLOR']
  #rewritable = false

  done(name: string, detail = ''): void {
    this.#line('✓', 'green', name, detail)
  }

  trouble(name: string, detail: string): void {
    this.#line('!', 'yellow', name, detail)
  }

  failed(name: string, detail: string): void {
    this.#line('✗', 'red', name, detail)
  }

  /** On a terminal the next line replaces this one; elsewhere it is omitted. */
  progress(name: string, detail: string): void {
    if (!this.#live) return
    this.#erase()
    process.stdout.write(this.#paint('dim', `  … ${name.padEnd(nameWidth)} ${detail}`))
    this.#rewritable = true
  }

  text(lines: readonly string[]): void {
    this.#erase()
    process.stdout.write(`${lines.join('\n')}\n`)
  }

  title(text: string): string {
    return this.#paint('bold', text)
  }

  faint(text: string): string {
    return this.#paint('dim', text)
  }

  #line(mark: string, style: Style, name: string, detail: string): void {
    this.text([`  ${this.#paint(style, mark)} ${name.padEnd(nameWidth)} ${detail}`.trimEnd()])
  }

  #erase(): void {
    if (this.#rewritable) process.stdout.write('\r\x1b[2K')
    this.#rewritable = false
  }

  #paint(style: Style, text: string): string {
    return this.#colour ? styleText(style, text) : text
  }
}

const nameWidth = 11
