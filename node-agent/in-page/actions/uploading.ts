import type { AnyElement } from '../any-element.ts'
import { matches } from '../dom.ts'

/** The file input that an element is, or that a label is for. */
export function fileInputOf(this: AnyElement): AnyElement | null {
  const input = this.localName === 'label' && this.control ? this.control : this
  return input.localName === 'input' && input.type === 'file' ? input : null
}

export function isDisabled(this: Element): boolean {
  return matches(this, ':disabled')
}

/** Whether a file input takes several files, or a folder. */
export function takesMany(this: AnyElement): boolean {
  return this.multiple === true || this.webkitdirectory === true
}
