/**
 * For pages of others: `<troupe-live src="LINK"></troupe-live>` shows a live view in a frame as high as
 * its picture needs. Its events: `state` (`detail.state` is connecting, starting, connected,
 * reconnecting, ended or denied, and `detail.reason` why a session has ended) and `size`. The link must
 * have been made for the page's origin: `frame_ancestors` of POST /v1/sessions/{id}/live-tokens.
 */
{
  /** Until the first picture: that of a session without other wishes. */
  const usual = { width: 1440, height: 900, above: 56 }

  class TroupeLive extends HTMLElement {
    static observedAttributes = ['src']
    #frame = document.createElement('iframe')
    #size = usual
    #heard = (event) => this.#hear(event)
    #fits = new ResizeObserver(() => this.#fit())

    connectedCallback() {
      const frame = this.#frame
      frame.title = this.title || 'Live view'
      frame.allow = 'clipboard-read; clipboard-write; fullscreen'
      frame.style.cssText = 'display: block; width: 100%; border: 0'
      this.style.display ||= 'block'
      this.append(frame)
      addEventListener('message', this.#heard)
      this.#fits.observe(this)
    }

    disconnectedCallback() {
      removeEventListener('message', this.#heard)
      this.#fits.disconnect()
      this.#frame.remove()
    }

    attributeChangedCallback(_name, _before, src) {
      this.#frame.src = src
    }

    #hear({ source, origin, data }) {
      const isOurs =
        source === this.#frame.contentWindow && origin === new URL(this.#frame.src).origin
      if (!isOurs || data?.troupe !== 'live') return
      const { troupe, type, ...detail } = data
      if (type === 'size') {
        this.#size = detail
        this.#fit()
      }
      this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }))
    }

    /** A height that the page has set stays. */
    #fit() {
      const { width, height, above } = this.#size
      const own = this.style.height
      this.#frame.style.height =
        own === '' ? `${Math.round((this.clientWidth * height) / width) + above}px` : '100%'
    }
  }

  customElements.define('troupe-live', TroupeLive)
}
