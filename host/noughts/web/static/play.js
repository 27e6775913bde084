import './server.js';
